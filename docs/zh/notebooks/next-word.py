# %% [markdown]
# # 造一个会接话的模型 { #next-word }
#
# 「离开果园，她买了苹果＿＿」，你会接「派」；「离开发布会，她买了苹果＿＿」，你会接「手机」。横线前面的词一样，都是「苹果」，你却接得不同，因为你回头看了一眼她是从哪里来的。
#
# 从第一页起，我们就想造一台也会这样回头看的机器。零件已经齐了，这一页把它们装起来，训练几秒钟，然后打开来看它到底怎么做的。这样的机器叫**语言模型**（language model）：给它一段开头，它说出每个词作为下一个词的机会有多大。
#
# !!! question "先猜一猜"
#
#     我们只给模型看三千句话，让它一个词一个词地猜下一个词。没有人告诉它「苹果」有两个意思，也没有人告诉它该看哪里。训练完，它遇到没见过的句子，会
#
#     - 背下了见过的句子，遇到新句子就乱猜；
#     - 知道「苹果」后面有哪些词，但派和手机各猜一半；
#     - 自己学会回头看地点，接得和你一样。
#
# 要跟着运行，先安装attn：
#
# ```console
# pip install {{ wheel }}
# ```
#
# ## 一个小小的世界 { #corpus }
#
# 真实的语言太大，几秒钟学不完，所以我们造一个小世界。里面只有三个有两种意思的词：苹果（水果，公司）、黄牛（牛，倒票的人）、甲壳虫（昆虫，乐队）。句子说某人去过哪里，然后买了什么，或者谈到了什么：

# %%
import torch

from attn.labs.next_word import accuracy, answers, begin, chances, corpus
from attn.labs.next_word import exam, learn, lessons, vocabulary, weights, write

torch.set_num_threads(1)
sentences, questions = corpus("zh"), exam("zh")
for words in sentences[:6]:
    print(*words)
print(len(sentences), len(vocabulary("zh")))
for kind, gaps in questions.items():
    print(kind, len(gaps), *gaps[0].words, "→", *gaps[0].follows)

# %% [markdown]
# <!-- prints:
# 走进 医院 和 维修点 ， 他 想买 黄牛 券 和 苹果 手机 。
# 他们 读到 甲壳虫 收入 。
# 离开 数码城 和 医院 ， 她 要了 苹果 手机 和 黄牛 券 。
# 他们 查过 黄牛 收入 和 苹果 收入 。
# 我们 查过 苹果 官司 。
# 他们 想买 苹果 手机 和 黄牛 肉 。
# 3000 69
# bought 192 离开 果园 和 牧场 ， 她 买了 苹果 → 派 酱 汁
# same 96 离开 果园 和 牧场 ， 她 谈到 苹果 → 基因 细胞 祖先
# differ 96 离开 果园 和 演唱会 ， 她 谈到 苹果 → 基因 细胞 祖先
# -->
#
# 最后三行是考题，每道题断在「苹果」「黄牛」或「甲壳虫」后面，箭头右边是可以接的词。考题里总有两个地点，一个和被问的词有关，另一个和它无关，所以光看见「果园」还不够，还要知道果园归谁管。考题里的两个地点，在训练的句子里从没有同时出现过，背是背不出来的。
#
# 考题分三种。`bought`问买了什么，每个词有自己的答案，苹果派、黄牛票、甲壳虫唱片。后两种问谈到什么，答案是大家共用的：凡是活的，都有基因、细胞、祖先；凡是人的生意，都有收入、官司、网站。`same`的两个地点说的是同一类，`differ`的不是同一类。你不妨先想想，三种里哪一种最难。
#
# ## 从词到机会 { #machine }
#
# 机器就是上一页那一台，从头到尾只有五步。图里是它训练之后的样子，读的是这句话：
#
# ```figure module="machine"
# title: 从一句话到下一个词的机会
# description: "从上到下，「离开果园，她买了苹果」先切成六个词，每个词换成号码，再换成向量。每个词的向量沿一条竖线往下走，穿过一个块。块里先是归一化和注意力，各个词之间有曲线相连，从「果园」通到「苹果」的是到「苹果」的曲线里最粗的一条；结果加回竖线。然后是归一化和前馈网络，各词只在自己的竖线旁边做，也加回竖线。块的下面是新向量，「苹果」的新向量经过打分和softmax，给出每个词的机会，汁、派、酱各有三成左右，其余的词加起来很少。"
# caption: 训练好的模型。曲线是注意力权重，越粗看得越重，取四个头里看「果园」看得最重的那个。开头记号没有画出来，其余的号码和下面打印的一样。
# language: zh
# sentence: 离开果园，她买了苹果
# clue: 果园
# text: 文字
# words: 词
# numbers: 号码
# vectors: 向量
# block: 一个块
# norm: 归一化
# attention: 注意力
# add: 加回去
# feed_forward: 前馈网络
# made: 新向量
# score: 打分，softmax
# chances: 机会
# rest: 其余{count}个
# ```
#
# 现在我们一步一步走一遍，用的是一个还什么都没学过的模型。
#
# 先是**词表**（vocabulary），也就是模型认得的全部词，每个词有一个号码。句子前面加一个开头记号，它的号码是0。然后每个号码换成一个向量，再加上表示位置的向量，因为注意力自己不知道词的先后，见[词序](../deeper/order.md)。

# %%
model = begin("zh")
words = "离开 果园 ， 她 买了 苹果".split()
numbers = model.read(words)
x = model.vectors(numbers)
print(numbers.tolist())
print(list(x.shape))

# %% [markdown]
# <!-- prints:
# [0, 11, 21, 15, 1, 5, 18]
# [7, 32]
# -->
#
# 七个号码变成七个向量，每个有32个数。接着，它们走过一个[Transformer块](../deeper/transformer-block.md)：每个词先看自己和前面的词（4个头的注意力），再各自想一想（前馈网络）。这里有因果掩码，谁也不许看后面，因为后面的词正是要猜的。

# %%
y = model.blocks[0](x, causal=True)
logits = model.out(model.norm(y))
print(list(y.shape), list(logits.shape))

# %% [markdown]
# <!-- prints:
# [7, 32] [7, 69]
# -->
#
# 最后一步，`model.out`把每个位置的向量和词表里每个词的一行参数做点积，得到一个分数。分数越高，模型越觉得下一个词是它。这些分数叫**logits**，可正可负，加起来也不是1。要把它们变成机会，你已经会了，那就是softmax：

# %%
p = logits[-1].softmax(dim=-1)
print(f"{p.sum().item():.2f}  {p.min().item():.3f}  {p.max().item():.3f}")
print(sum(numbers.numel() for numbers in model.parameters()))

# %% [markdown]
# <!-- prints:
# 1.00  0.003  0.055
# 18021
# -->
#
# 最后一个位置是「苹果」，它的向量给出整句话的下一个词。六十多个词的机会加起来是1，眼下最大的和最小的都只有百分之几，差不多是瞎猜，因为参数全是随机的。第二行是参数的个数，一万八千多个，接下来要学的就是它们。
#
# ## 训练：猜下一个词 { #train }
#
# 训练的办法和[训练](../training.md)那一页一样，只是从一个数变成了一万八千个。句子的每个位置都出一道题：只看到这里为止，下一个词是什么？真正的下一个词得到的机会越小，损失越大，然后每个参数都往让损失变小的方向挪一点点。一句话有九个词，就有九道题，而且一次就能全答，因为掩码保证了没有谁偷看答案。学习的全部代码是：
#
# <!-- source: labs.next_word.lessons -->
#
# 现在开始。每一行依次是步数、损失，和考题里接对的份额。份额取最近的四分之一，因为再细的数随机器略有不同。

# %%
def quarter(share):
    return round(4 * share) / 4


every = [gap for gaps in questions.values() for gap in gaps]
for step, loss in enumerate(lessons(model, sentences, steps=600), start=1):
    if step in (1, 100, 600):
        print(f"{step:3}  {loss:.0f}  {quarter(accuracy(model, every))}")
for kind, gaps in questions.items():
    print(kind, quarter(accuracy(model, gaps)))

# %% [markdown]
# <!-- prints:
#   1  4  0.0
# 100  1  0.5
# 600  1  1.0
# bought 1.0
# same 1.0
# differ 1.0
# -->
#
# 几秒钟之后，没见过的题它都接对了。开头的两句，它现在这样接：
#
# ```figure module="chances"
# title: 训练之后，它接什么
# description: "两组横条。「离开果园，她买了苹果」之后，派、酱、汁三个词各占三成左右；「离开发布会，她买了苹果」之后，手机、电脑、手表三个词几乎占满。"
# caption: 最可能的几个词，和它们的机会。
# language: zh
# sentences: [离开果园，她买了苹果, 离开发布会，她买了苹果]
# ```
#
# 你猜的是第三个吗？不过第一百步的时候，答案倒更像第二个，它只对一半。
#
# ```figure module="learning"
# title: 它是怎样学会的
# description: "上下两条曲线，横轴是训练的步数。上面的损失一开始急降，很快就几乎平了。下面的份额先升到一半，停住，过了一阵才升到顶。"
# caption: 损失很早就不怎么降了，接对的份额却在一半处停了一会儿，才升到顶。
# language: zh
# loss: 损失
# right: 考题里接对的份额
# steps: 步数
# even: 瞎猜时的损失
# ```
#
# 这条曲线值得看一会儿。最先学会的是不用回头也能知道的事，例如「苹果」后面可以是派，也可以是手机，但不会是逗号。损失就是这时候降下来的，因为大部分的词靠这个就能猜得差不多。可是份额停在一半，它知道有两种可能，却不知道是哪一种。之后某个时候，它发现地点有用，于是份额升到了1。损失为什么没有降到0呢？因为有些词谁也猜不准，「离开」后面是哪里，本来就随便。
#
# ## 它在看哪里 { #look }
#
# 接对了，是不是真的靠回头看？先问同一句话，只换提问的词：

# %%
told = "离开 果园 和 火车站 ， 她 谈到".split()
places = "果园", "火车站"
for asker in "苹果", "黄牛":
    look = weights(model, [*told, asker]).mean(dim=0)  # 四个头平均
    row = look[-1, 1:]  # 最后一个词的那一行
    heaviest = max(places, key=lambda place: row[told.index(place)])
    likeliest = chances(model, [*told, asker])[:3]
    print(asker, "|", heaviest, "|", *sorted(word for word, chance in likeliest))

# %% [markdown]
# <!-- prints:
# 苹果 | 果园 | 基因 祖先 细胞
# 黄牛 | 火车站 | 官司 收入 网站
# -->
#
# 前面的七个词一模一样。「苹果」来问，两个地点里看得重的是果园，接的是活物的词；「黄牛」来问，看得重的是火车站，接的是生意的词。看哪里，由谁在问来定，这正是查询的用处：
#
# ```figure module="writer"
# title: 「苹果」回头看
# description: "九个词：离开、果园、和、火车站、逗号、她、谈到、苹果。从「苹果」出发，指向「果园」的线最粗。"
# caption: 训练出来的权重，取四个头里看得最准的那个。句首记号得到的那一份没有画出来。
# language: zh
# sentence: 离开果园和火车站，她谈到苹果
# clue: 果园
# ```
#
# ```figure module="writer"
# title: 「黄牛」回头看
# description: "同一句话，最后一个词换成「黄牛」。从它出发，指向「火车站」的线最粗。"
# caption: 同一句话，换「黄牛」来问，它看到别处去了。
# language: zh
# sentence: 离开果园和火车站，她谈到黄牛
# clue: 火车站
# ```
#
# 其余的头看的地方各不相同，有的并不看地点。所以一张权重图只能算线索，还不是证据。
#
# ## 遮住一个词 { #cover }
#
# 要证据，就得动手。我们把某个词遮住，谁也不许看它，再看答案变不变。先遮住别人的地点，再比较两句只差一个地点的话：

# %%
differ = questions["differ"]
other = [gap.other for gap in differ]
print(quarter(accuracy(model, differ, hide=other)))


def moved(one, two):
    one, two = dict(one), dict(two)
    return sum(abs(one[word] - two[word]) for word in one) / 2


sentence = "离开 {place} ， 她 买了 苹果"
orchard, launch = (sentence.format(place=place).split() for place in ("果园", "发布会"))
print(quarter(moved(chances(model, orchard), chances(model, launch))))
covered = [orchard.index("果园")]
one, two = (chances(model, words, hide=covered) for words in (orchard, launch))
print(quarter(moved(one, two)))

# %% [markdown]
# <!-- prints:
# 1.0
# 1.0
# 0.0
# -->
#
# 第一行，遮住别人的地点，题还是全对，可见它真的没有听那个地点的。第二行数的是，把「果园」换成「发布会」，有多少机会从一些词搬到了另一些词，几乎是全部。第三行，地点遮住以后再换，什么也没搬，因为对模型来说两句话已经是同一句。改变答案的就是那一个词。
#
# 要是一句话本来就没说地点呢？训练的句子里有三分之一是这样的，所以它知道这时候没有把握：
#
# ```figure module="chances"
# title: 没有线索的时候
# description: "一组横条。「她买了苹果」之后，派、酱这样的词和手机、手表这样的词各占一份，没有哪个词占到一半。"
# caption: 没有地点，机会就分给了两类的词。
# language: zh
# sentences: [她买了苹果]
# ```
#
# ## 不问是谁，行不行 { #controls }
#
# 也许不用这么麻烦。把前面的词一样重地混起来，地点也在里面，难道不够？我们让三个对照来考。它们和注意力只差一处，就是权重由什么来定：
#
# - `alike`，前面的词全都一样重；
# - `near`，由距离定，每个距离多重是学出来的；
# - `keys`，由被看的词定，但所有的词共用一个学出来的查询，不管是谁在问。
#
# 为了看清混合本身能做到什么，四个模型都先拿掉前馈网络。每个模型用三个种子各训练一次，打印平均成绩，也取最近的四分之一。

# %%
for context in "alike", "near", "keys", "attention":
    options = {"context": context, "feed_forward": False, "steps": 300}
    models = [learn("zh", **options, seed=seed) for seed in range(3)]
    for kind in "same", "differ":
        mean = sum(accuracy(m, questions[kind]) for m in models) / len(models)
        print(quarter(mean), end=" ")
    print(context)

# %% [markdown]
# <!-- prints:
# 1.0 0.5 alike
# 1.0 0.5 near
# 1.0 0.5 keys
# 1.0 1.0 attention
# -->
#
# 两个地点说同一类的时候，谁都会。说的不是一类，三个对照就只剩一半。原因不在训练得不够。「苹果」和「黄牛」看着同一句话，如果权重不管是谁在问，两个词混进来的就几乎是同一份东西，果园往「活的」拉，火车站往「生意」拉，一个对了，另一个就错。只有注意力知道是谁在问，所以各取各的。
#
# 还有一个更省事的对照：谁也不看，只知道自己是谁。不管前面是什么，它对同一个词总是同一个答案：

# %%
blind = learn("zh", context="itself", steps=100)
asked = [gap.words for gap in questions["bought"] if gap.words[-1] == "苹果"]
print(len(asked), len(set(answers(blind, asked))))

# %% [markdown]
# <!-- prints:
# 64 1
# -->
#
# 现在把前馈网络还给最笨的那个对照，结论却要改一改：

# %%
late = learn("zh", context="alike")
print(quarter(accuracy(late, questions["differ"])))

# %% [markdown]
# <!-- prints:
# 1.0
# -->
#
# 它也全会了。词自己的向量一直留在残差里，所以前馈网络事后还能把「我是谁」和「混到了什么」放在一起想。因此这个实验说明的，没有「非注意力不可」那么多。它说明的是：在混合的那一步就分清该听谁，要靠查询；句子短、地点少的时候，事后补救也来得及。[苹果实验](apple.py)里有同样的结果。
#
# ## 一块不够的时候 { #two-blocks }
#
# 有没有一个块学不会、两个块学得会的事？有，而且很平常。四个客人点单，服务员打乱次序念一遍：
#
# 「小安茶，小白粥，小陈面，小丁饼；小陈＿＿」
#
# 谁点什么，每句话重新抽，所以参数里记不住，只能在句子里找。你会找到前面的「小陈」，然后读它后面的词。可是模型看「小陈」，看到的就只是「小陈」。要的词在它后面一格，那一格里只写着「面」，没有写是谁点的。

# %%
from attn.labs import orders

gaps = orders.exam("zh")
print(*gaps[0].words, "→", *gaps[0].follows)
print(f"{orders.commonest(gaps):.2f}")
two = orders.serve("zh", layers=2)
one = orders.serve("zh", layers=1)
wide = orders.serve("zh", layers=1, num_heads=4, d_model=64)
waiters = {"两块": two, "一块": one, "一块，更宽": wide}
for name, waiter in waiters.items():
    parameters = sum(numbers.numel() for numbers in waiter.parameters())
    print(quarter(accuracy(waiter, gaps)), parameters, name)

# %% [markdown]
# <!-- prints:
# 小陈 茶 小方 饼 小安 饼 小江 饼 ； 小江 → 饼
# 0.49
# 1.0 27215 两块
# 0.5 14511 一块
# 0.5 53583 一块，更宽
# -->
#
# 第二行是不知道谁点了什么、只会猜点得最多的那样时的成绩。一个块就停在那里，把它加宽到参数比两块的还多一倍也没有用，可见差的不是参数的多少。两个块却全对了。它们是怎么分工的？
#
# ```figure module="writer"
# title: 第一块，「面」记下是谁点的
# description: "八个词的点单加一个分号，再加「小陈」。从第一个「面」出发，指向它前面的「小陈」的线最粗。"
# caption: 第一块，每样东西看它前面一格，把名字带在身上。
# language: zh
# sentence: 小安茶小白粥小陈面小丁饼；小陈
# clue: 小陈
# looker: 面
# block: first
# ```
#
# ```figure module="writer"
# title: 第二块，「小陈」找到了「面」
# description: "同一句点单。从最后的「小陈」出发，指向「面」的线最粗。"
# caption: 第二块，「小陈」找的是身上带着「小陈」的东西，于是找到「面」。
# language: zh
# sentence: 小安茶小白粥小陈面小丁饼；小陈
# clue: 面
# block: second
# ```
#
# 先让每样东西记下前一个词，再按记下的去找，两步缺一步都不行，而第二步要用到第一步的结果，所以得有两个块。这样配合的两个头叫作**归纳头**（induction head）。[Olsson等人](../references.md#olsson2022)报告说，只有一层的模型里没有，两层起才有，而且是在训练途中比较突然地出现的。至于它们能解释大的模型多少本事，就难证明得多，作者给出的多半是相关性。
#
# ## 让它一直写下去 { #write }
#
# 会猜下一个词，就会写句子：猜一个，接上去，再猜下一个，直到句号。每次取机会最大的词，写出来总是同一句，所以这里按机会来抽。
#
# ```figure module="writing"
# title: 从空白写起
# description: "一张表，一行写一个词。左边是写到哪里，右边是最可能的词和抽中的词，附上各自的机会；抽中的加粗。逗号、句号这样的词机会很大，去哪里、谁、买什么的机会分散在许多词上。"
# caption: 一行一个词，加粗的是抽中的。哪里拿得准，哪里随便，一眼就看得出来。
# language: zh
# so_far: 写到
# next: 下一个词
# ```
#
# 每写一个词，前面的词都要再算一遍吗？不用。旧词的键和值不会再变，把它们存进[KV缓存](../deeper/kv-cache.md)，每一步只算新词就行。写出来的句子和不用缓存时是不是一样？写20句比一比：

# %%
kept = [write(model, [], seed=seed) for seed in range(20)]
again = [write(model, [], seed=seed, cached=False) for seed in range(20)]
print(sum(a == b for a, b in zip(kept, again)))

# %% [markdown]
# <!-- prints:
# 20
# -->
#
# ## 自己来问它 { #play }
#
# 现在轮到你了。点一个词，看它在看谁；换一个头，看法又不同。盖住一个地点，把两个地点对调，或者自己写一句没有人写过的话，猜猜它会怎么接，再看它怎么接。它只认识那几十个词，但次序随你。
#
# 三件事值得一试：让「苹果」和「黄牛」看同一句话；把「果园」盖住，看它退回哪个意思；写一句它从没见过的怪话，看它还硬着头皮接下去。
#
# ```figure module="live"
# title: 一台小机器来接话
# description: 同一句话，「苹果」之后最可能的是祖先、基因、细胞，「黄牛」之后是收入、网站、官司。
# caption: 点一个词，看它在看谁；盖住、换掉、挪动，或者自己写一句，再看它怎么接。
# language: zh
# sentences: ["离开果园和演唱会，她谈到苹果", "离开果园和演唱会，她谈到黄牛"]
# tries: ["离开发布会，她买了苹果", "离开果园，她买了苹果", "离开果园和演唱会，她谈到苹果", "离开果园和演唱会，她谈到黄牛"]
# full: true
# choose: 句子
# heads_name: 哪个头
# head: 第{number}个头
# opening: 开头
# blank: （盖住）
# exchange: 换成
# cover: 盖住
# uncover: 揭开
# left: 往左挪
# right: 往右挪
# remove: 去掉
# next: 接下来的词，点一个就接上
# append: 接上「{word}」，概率{chance}
# write: 写一个词
# finish: 写到句号
# restart: 重来
# type: 自己写一句
# read: 让它读
# chip: 「{word}」，看得{weight}；点一下换它来看
# ahead: 「{word}」，还看不到；点一下换它来看
# says: 「{word}」在前面的词里最看重「{other}」（{weight}），接下来它猜是「{next}」。
# alone: 「{word}」前面没有词可看，它猜句子从「{next}」开始。
# unloaded: 没能取到这个模型的数，请检查网络，再点一次。
# unknown: 它只认识{count}个词，不认识{words}。
# empty: 写几个它认识的词，例如句子里有的那些。
# full_up: 一句话最多{longest}个词，写不下了。
# ```
#
# ## 它不是什么 { #limits }
#
# **它不懂苹果**。它没吃过派，也没用过手机，只知道哪些词常跟着哪些词出现。我们造的语法里，果园后面的苹果不会是手机，它学到的就是这条规律。
#
# **它只活在六十几个词里**。换一个没见过的词，它连读都读不了。真正的模型不按整词来读，而是切成[词元](../which-apple.md)，也就是词的一截，所以什么都拼得出来。
#
# **它很小**。Llama 3里最大的一个有126层、4050亿个参数，是用15.6万亿个词元训练的，词表有12万多个词元，见[报告](../references.md#llama2024)。它和这一页的机器是同一个路子，都是词元、向量、一摞块、下一个词元的机会，可是从这里到那里，隔着的不只是大小，还有数据、训练的办法，以及许多工程。大的模型里，权重图也远没有这里好读。
#
# <!-- numbers: cited("llama2024", 15.6) -->
#
# ## 小结 { #in-short }
#
# 语言模型给每个词一个作为下一个词的机会，训练时只做一件事，就是猜下一个词。一个注意力块就足以让它自己学会回头看：谁在问，就看谁的线索。要先记下、再查找的事，一个块没学会，两个块接力就学会了。写句子，就是一遍遍地猜下一个词。
#
# ## 练习 { #exercises }
#
# **练习1.** 把两个地点对调，「离开火车站和果园，她谈到苹果」，它会接什么？先猜，再运行。
#
# ??? success "答案"
#
#     还是活物的词。它靠的是地点的内容，不是地点站在第几个。
#
#     ```pycon
#     >>> swapped = "离开 火车站 和 果园 ， 她 谈到 苹果".split()
#     >>> sorted(word for word, chance in chances(model, swapped)[:3])
#     ['基因', '祖先', '细胞']
#     ```
#
# **练习2.** 设计一句话，人一看就会接，这个模型却接不了。至少想出两种不同的办法。
#
# ??? success "答案"
#
#     最省事的办法是用一个它不认得的词。
#
#     ```pycon
#     >>> chances(model, "离开 菜园 ， 她 买了 苹果".split())
#     Traceback (most recent call last):
#     ValueError: words must be in the vocabulary: 菜园 are not
#     ```
#
#     另一种办法是把线索放在空格的后面，例如「她买了苹果＿＿，因为她刚去过果园」。人会先读完再填，模型却只看前面，所以它的答案和没有线索时一样。
#
# **练习3.** 「她」「他」「我们」「他们」在句子里出现的机会相同。猜到这个位置时，再聪明的模型，损失平均也不会低于多少？
#
# ??? success "答案"
#
#     四个词机会相同，最好的办法是各给四分之一，损失是1/4的对数取负，约1.39。所以损失降不到0不是模型的错，是句子本来就没有说。
#
#     <!-- numbers: -math.log(1 / 4) -->
#
#     ```pycon
#     >>> import math
#     >>> f"{-math.log(1 / 4):.2f}"
#     '1.39'
#     ```
#
# **练习4.** 假如训练时忘了因果掩码，损失会怎样？训练完，它能写句子吗？（回想[注意力矩阵](../attention-matrix.md)。）
#
# ??? success "答案"
#
#     损失会降得很低，因为每个词一抬头就看见了下一个词，照抄就行。可是写句子的时候后面还没有词，没得抄，它就什么也不会。损失好看，不等于学会了。
#
# 下一页：[小结](../summary.md)。
