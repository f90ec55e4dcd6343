# %% [markdown]
# # 苹果实验：让注意力自己学会看哪里 { #apple }
#
# 「聊完果汁和车灯，他们提到甲壳虫和苹果。」这里的甲壳虫是虫子还是汽车，苹果是水果还是公司？为了知道这一点，你回头看了两次：从「甲壳虫」看到「车灯」，从「苹果」看到「果汁」。在[到底是哪个苹果](../which-apple.md)里，为了做到这一步，向量全是手工设的。这一次只把句子和答案交给一层小小的注意力，它能自己学会看对词吗？
#
# 要跟着运行，先安装attn：
#
# ```console
# pip install {{ wheel }}
# ```
#
# !!! question "先猜一猜"
#
#     用同样的句子，我们还训练五个对照，它们和带注意力的那一层只差在每个词算多重由什么决定。哪一个能答对上面那句话？
#
#     - 不用定：只有被问的那个词自己算数
#     - 也不用定：所有词一样重
#     - 由距离定：多远的词该多重，它自己学
#     - 由被看的词定：哪些词要紧，它自己学，但不管谁来看都一样重
#     - 由被看的词和距离一起定
#     - 五个都答不对
#
# ## 一堆聊天的句子 { #corpus }
#
# 句子都是闲聊，先聊到几样东西，再由此说起另外的词。「苹果」「病毒」「甲壳虫」各有两个意思，一个是自己长出来的（水果、微生物、昆虫），一个是人造出来的（公司、程序、汽车），每个意思有四个线索词。句子里每出现一个这样的词，模型都要回答：它是长出来的，还是造出来的？

# %%
import torch

from attn.labs.senses import GRAMMARS, accuracy, corpus, demos, exam
from attn.labs.senses import flips, heaviest, learn, said, senses_of

torch.set_num_threads(1)
train, questions = corpus("zh"), exam("zh")
for r in train[:5]:
    print(" ".join(r.words), "|", r.words[r.at], "→", r.sense)
learned = {r.words for r in train}
for kind, asked in questions.items():
    asked = {r.words for r in asked}
    print(kind, len(asked), len(asked & learned))

# %% [markdown]
# <!-- prints:
# 聊完 防火墙 和 耳机 ， 他们 提到 病毒 和 苹果 | 病毒 → 程序
# 聊完 防火墙 和 耳机 ， 他们 提到 病毒 和 苹果 | 苹果 → 公司
# 老师 想起 苹果 和 甲壳虫 ， 因为 聊到 翅膀 和 耳机 | 苹果 → 公司
# 老师 想起 苹果 和 甲壳虫 ， 因为 聊到 翅膀 和 耳机 | 甲壳虫 → 昆虫
# 聊完 平板 和 防火墙 ， 同学 想起 苹果 和 病毒 | 苹果 → 公司
# one 48 0
# same 192 0
# differ 192 0
# -->
#
# 每一行是一条：一句话，其中被问的那个词，以及它在这里的意思。训练用的句子一共300句，多数句子里问到两个词，两个词谁先谁后、两个线索谁先谁后都不一定，所以离得近的线索，很可能是另一个词的。
#
# <!-- numbers: len(learned) -->
#
# 最后三行数的是考题：一句里只问一个词的（one），问两个词、而且同类的（same，都是长出来的，或者都是造出来的），问两个词、但不同类的（differ）。第二个数说明，它们在训练时一句也没有出现过；后两部分里，连两个线索都没有在训练时碰过面。最后一部分最难：句子里既有「长」的线索，又有「造」的线索，该听哪一个，要看是谁在问。
#
# ## 训练 { #train }
#
# 被问的词拿自己的查询去比对其他词的键，得到分数；softmax把分数变成权重，再按权重混合各个词的值；最后由一个线性层读出「长」还是「造」。被问的词谁也不许看，连它自己也不许，所以答案只能从别的词来。学习的全部代码就是这些：
#
# <!-- source: labs.senses.learn -->

# %%
model = learn("zh")
shown = demos("zh")
for r, sense, at in zip(shown, senses_of(model, shown), heaviest(model, shown)):
    print(" ".join(r.words), "|", r.words[r.at], "→", sense, "|", r.words[at])

# %% [markdown]
# <!-- prints:
# 聊完 果汁 ， 我们 说起 苹果 | 苹果 → 水果 | 果汁
# 聊完 手机 ， 我们 说起 苹果 | 苹果 → 公司 | 手机
# 聊完 果汁 和 车灯 ， 他们 提到 甲壳虫 和 苹果 | 甲壳虫 → 汽车 | 车灯
# 聊完 果汁 和 车灯 ， 他们 提到 甲壳虫 和 苹果 | 苹果 → 水果 | 果汁
# 聊完 翅膀 和 手机 ， 他们 提到 甲壳虫 和 苹果 | 甲壳虫 → 昆虫 | 翅膀
# 聊完 翅膀 和 手机 ， 他们 提到 甲壳虫 和 苹果 | 苹果 → 公司 | 手机
# 她们 想起 苹果 和 病毒 ， 因为 聊到 口罩 和 平板 | 苹果 → 公司 | 平板
# 她们 想起 苹果 和 病毒 ， 因为 聊到 口罩 和 平板 | 病毒 → 微生物 | 口罩
# 聊完 果酱 和 沙拉 ， 老师 谈到 苹果 | 苹果 → 水果 | 果酱
# -->
#
# 每行末尾是权重最大的那个词。第三、第四行是同一句话，「甲壳虫」看的是「车灯」，「苹果」看的是「果汁」；再往下两行换了线索，它们就看到别处去了。
#
# ```figure module="senses"
# title: 训练之后，「甲壳虫」在看谁
# description: "九个词和一个逗号：聊完、果汁、和、车灯、逗号、他们、提到、甲壳虫、和、苹果。从「甲壳虫」出发，指向「车灯」的线远比其他线粗。"
# caption: 训练之后的权重，这句话训练时没有见过。「甲壳虫」看向「车灯」……
# language: zh
# sentence: 聊完果汁和车灯，他们提到甲壳虫和苹果
# looker: 甲壳虫
# ```
#
# ```figure module="senses"
# title: 同一句话里，「苹果」在看谁
# description: "还是那些词。从「苹果」出发，指向「果汁」的线远比其他线粗。"
# caption: ……而在同一句话里，「苹果」看向「果汁」。
# language: zh
# sentence: 聊完果汁和车灯，他们提到甲壳虫和苹果
# looker: 苹果
# ```
#
# ## 五个对照 { #controls }
#
# 回到刚才猜的题。每个模型都用三个种子各训练一次，再参加考试；种子一换，训练的句子和初始的向量就都换了。前两列（只问一个词、两个词同类）是三次里最差的成绩，最后一列把三次都写出来。

# %%
rivals = {
    "只看自己": "itself",
    "一样重": "alike",
    "按距离": "near",
    "按词": "keys",
    "按词和距离": "keys, near",
    "注意力": "attention",
}
trained = {}
for name, context in rivals.items():
    models = trained[name] = [learn("zh", context, seed=seed) for seed in range(3)]
    one, same, differ = ([accuracy(m, questions[kind]) for m in models] for kind in questions)
    print(f"{min(one):.2f}  {min(same):.2f} ", *(f"{share:.2f}" for share in differ), f" {name}")

# %% [markdown]
# <!-- prints:
# 0.50  0.50  0.50 0.50 0.50  只看自己
# 1.00  1.00  0.50 0.50 0.50  一样重
# 1.00  1.00  0.50 0.50 0.50  按距离
# 1.00  1.00  0.50 0.50 0.50  按词
# 1.00  1.00  0.50 0.50 0.50  按词和距离
# 1.00  1.00  1.00 1.00 1.00  注意力
# -->
#
# 这些对照不是没学会：除了只看自己的那个，只要线索说的是同一件事，它们就全答得对。可是两个词不同类时，五个都**恰好**对一半，而且每一个都说得出原因。
#
# - **只看自己**：「苹果」在每句话里答案都一样，在一半的句子里是对的。
# - **一样重**和**按词**：同一句里的两个词得到同一份混合，也就得到同一个答案，一个对，另一个就错。
# - **按距离**和**按词和距离**：考题里每句话都有一个孪生句，只把被问的两个词对调。同一个位置上的混合和原来一样，答案也就一样，两句里总有一句错。
#
# 注意力全部答对。它和「按词」只差在查询：那边大家合用一个学出来的，这边每个词都有自己的，由自己的向量乘$W_q$得到。键也少不了：没有键，一行分数全都相等，那就是「一样重」的对照。位置倒是用不着，这一层也不知道。
#
# 五个对照多不了，这是它们的构造决定的。能推翻本页标题的，是注意力也只对一半，或者全答对了，看得最重的却不是自己的线索。全部考题里，看得最重的有多少是自己的线索？三个种子依次是：

# %%
whose = {clue: word for word, senses in GRAMMARS["zh"].targets.items() for clues in senses.values() for clue in clues}
every = [r for asked in questions.values() for r in asked]
for m in trained["注意力"]:
    own = sum(whose.get(r.words[at]) == r.words[r.at] for r, at in zip(every, heaviest(m, every)))
    print(f"{own / len(every):.2f}")

# %% [markdown]
# <!-- prints:
# 1.00
# 1.00
# 1.00
# -->
#
# 这三个种子里，全都是。我们另外试了五个，其中一个题目全都答对，却在少数几句里最看重别的词。
#
# ## 遮住它看的那个词 { #hide }
#
# 权重大，也可能只是碰巧。所以我们把这个词拿走：在只问一个词的考题里，遮住权重最大的词；作为对照，再把其余的词轮流遮住。答案各会变多少？

# %%
asked = questions["one"]
for m in models:
    cue = heaviest(m, asked)
    cases = [(r, i) for r, at in zip(asked, cue) for i in range(len(r.words)) if i not in (at, r.at)]
    others, hidden = zip(*cases)
    print(f"{flips(m, asked, cue):.2f}  {flips(m, others, hidden):.2f}")

# %% [markdown]
# <!-- prints:
# 0.50  0.00
# 0.50  0.00
# 0.50  0.00
# -->
#
# 遮住权重最大的词，一半的答案反了过来；遮住其他任何一个词，一个也没变。为什么只有一半？因为没有线索，模型也得选一个。「聊完▢，我们说起苹果」，不管遮住的原来是什么，都是同一句话，答案也是同一个，而在一半的句子里，原来的答案正好就是它。
#
# 不归它用的线索，它真的不理吗？两个词不同类时，我们把另一个词的线索遮住，先看注意力，再看「一样重」的对照：

# %%
differ = questions["differ"]
other = [next(i for i, w in enumerate(r.words) if w in whose and whose[w] != r.words[r.at]) for r in differ]
for name in "注意力", "一样重":
    print(*(f"{flips(m, differ, other):.2f}" for m in trained[name]), f" {name}")

# %% [markdown]
# <!-- prints:
# 0.00 0.00 0.00  注意力
# 0.50 0.50 0.50  一样重
# -->
#
# 注意力的答案一个也没变，对照变了一半，因为那个线索它也听。自己试试：选一句话，再点一个词把它遮住，一次一个。
#
# ```figure module="explorer"
# title: 遮住一个词，看答案变不变
# description: "九个词和一个逗号：聊完、翅膀、和、手机、逗号、他们、提到、甲壳虫、和、苹果。从「甲壳虫」出发，指向「翅膀」的线远比其他线粗。"
# caption: 方框里的词在看全句；点别的词，把它遮住。每个数都是建站时由训练好的模型算出的。
# language: zh
# sentence: 聊完翅膀和手机，他们提到甲壳虫和苹果
# looker: 甲壳虫
# choose: 句子
# blank: ▢
# asks: "{word}，正在看全句，给自己的权重 {weight}"
# hide: "{word}，权重 {weight}，点一下遮住"
# show: "{word}，已遮住，点一下恢复"
# says: "{word} → {sense}；看得最重的是「{heaviest}」。"
# ```
#
# ## 它没有证明什么 { #limits }
#
# **没有证明权重说明信息从哪里来**。只问一个词的考题，「一样重」的对照也全都答得对，遮住词的效果，和上面完全一样：

# %%
alike = trained["一样重"][0]
weights = alike.weights(alike.read(shown[:1]))[0]
print([round(weight, 2) for weight in weights.tolist()])
clue = flips(alike, asked, cue)
others = flips(alike, others, hidden)
print(f"{clue:.2f}  {others:.2f}")

# %% [markdown]
# <!-- prints:
# [0.2, 0.2, 0.2, 0.2, 0.2, 0.0]
# 0.50  0.00
# -->
#
# 它的权重是平的，答案却只靠线索，因为决定答案的是线索的**值**，「聊完」「我们」的值几乎没有影响。答案靠不靠某个词，遮住它看得出来，单凭权重看不出来。
#
# **没有证明正确的图只有一张**。上面最后那句话里，「苹果」有两个线索。三个模型都答「水果」，权重最大的词却不一样，把它遮住，答案也不变：

# %%
twice = shown[-1:]
for m in models:
    at = heaviest(m, twice)
    print(twice[0].words[at[0]], *senses_of(m, twice), *senses_of(m, twice, at))

# %% [markdown]
# <!-- prints:
# 果酱 水果 水果
# 果酱 水果 水果
# 沙拉 水果 水果
# -->
#
# 权重能在多大程度上解释答案，学界有争论。[Jain和Wallace](../references.md#jain2019)在循环网络上发现，很不一样的权重可以给出同样的预测；[Wiegreffe和Pinter](../references.md#wiegreffe2019)回应说，这要看什么才叫解释。详见[历史](../deeper/history.md#explanation)。
#
# **没有证明非「看」不可**。是谁在问，在上面这些模型里，只能通过权重起作用。第六个对照把所有词一样重地混合起来，把被问的词的向量摆在旁边，再经过一个隐藏层（64个数变成32个，用ReLU）给出答案。两个词不同类时，三个种子的平均成绩是：
#
# <!-- numbers: sizes[1]; sizes[0] -->

# %%
sixth = [learn("zh", "afterwards", seed=seed) for seed in range(3)]
sizes = sixth[0].decide[0].weight.shape
late = sum(accuracy(m, questions["differ"]) for m in sixth) / 3
print(f"{late:.1f}")

# %% [markdown]
# <!-- prints:
# 1.0
# -->
#
# 它谁也不看，却几乎全答对了。
#
# !!! note "这里简化了什么"
#
#     词只有四十来个，每个线索只属于一个意思，答案也是现成的。真实的语言里线索含混、层数众多，一张权重图远没有这样好读。训练出来的小数随机器略有不同，图上的出自建站时的那一次训练。
#
# ## 小结 { #in-short }
#
# 谁也没有规定这一层该看哪里，它自己学会了看对线索，一句话里的词各看各的。其他条件都相同时，一个先混合、再读出答案的层，有查询就做得到，没有就做不到。这没有「只有注意力做得到」那么多；单凭一个权重，也说明不了答案靠的是什么。
#
# ## 练习 { #exercises }
#
# **练习1.** 训练用的句子里，最多有两个词被问到。「聊完果酱和邮件和翅膀，我们说起病毒和甲壳虫和苹果」这一句，模型会怎么答？猜一猜，并说说为什么。
#
# ??? success "答案"
#
#     三个全对。每个词都用自己的查询去问，与还有谁在问无关。
#
#     ```pycon
#     >>> asked = [("病毒", "程序"), ("甲壳虫", "昆虫"), ("苹果", "水果")]
#     >>> three = said("zh", 0, "我们 说起", asked, ["果酱", "邮件", "翅膀"])
#     >>> " ".join(three[0].words)
#     '聊完 果酱 和 邮件 和 翅膀 ， 我们 说起 病毒 和 甲壳虫 和 苹果'
#     >>> senses_of(model, three)
#     ['程序', '昆虫', '水果']
#     ```
#
# **练习2.** 「我们说起苹果」里没有任何线索。模型会怎么答？这个答案可信吗？
#
# ??? success "答案"
#
#     它会在两个意思里选一个，因为它没有「不知道」这个选项。三个模型都选了水果，但这只是训练留下的偏好，不能当真。
#
#     ```pycon
#     >>> from attn.labs.senses import Reading
#     >>> lone = [Reading(("我们", "说起", "苹果"), 2, "水果")]
#     >>> [senses_of(m, lone)[0] for m in models]
#     ['水果', '水果', '水果']
#     ```
#
# 下一页：[√dₖ 实验](sqrt-dk.py)。
