# %% [markdown]
# # 苹果实验：让注意力自己学会看哪里 { #apple }
#
# 在[到底是哪个苹果](../which-apple.md)里，向量是手工设的。如果什么都不设，只给句子和答案，注意力会自己学会看「吃」和「电脑」吗？
#
# **一句话回答**：会。一层很小的自注意力，读几百句话、训练一两秒，就能分清没见过的句子里是水果还是公司，而且看的正是该看的词。
#
# ```console
# pip install {{ wheel }}
# ```
#
# !!! question "先猜一猜"
#
#     下面有三个对照模型：只看「苹果」自己；把全句的词不分轻重地平均；用注意力，但不知道词的位置。三个之中，哪个也能分清？
#
# ## 几百句话 { #corpus }
#
# 「苹果」和「小米」各有两个意思。每个分句里只有一处线索：前面的动词（吃、煮；投资、收购），或者后面的名词（粥、饼；电脑、手机）。六成句子有两个分句，另一个分句里的词取另一个意思，所以光看句子里「有没有吃」是不够的。

# %%
import torch

from attn.labs.senses import SENSES, accuracy, corpus, demos, flips, heaviest, learn, mirrored, senses_of

torch.set_num_threads(1)
train = corpus("zh")
held_out = [r for r in corpus("zh", 800, seed=1) if r not in set(train)]
for r in train[:3]:
    print(" ".join(r.words), "|", r.words[r.at], "→", r.sense)
print(len(train), len(set(demos("zh")) & set(train)))

# %% [markdown]
# <!-- prints:
# 老师 常常 洗 苹果 ， 他们 买 小米 手机 | 苹果 → fruit
# 老师 常常 洗 苹果 ， 他们 买 小米 手机 | 小米 → company
# 老师 买 苹果 耳机 ， 你 要 吃 小米 | 苹果 → company
# 400 0
# -->
#
# 一共400条，每条是一句话、其中要分辨的那个词，和它的意思。本页要演示的句子一条也不在里面。
#
# ## 训练 { #train }
#
# 词先变成向量，经过一层带位置偏置（[ALiBi](../deeper/order.md)）的自注意力，再由一个线性层在两个意思里选一个。学习的全部代码就是这些：
#
# <!-- source: labs.senses.learn -->

# %%
model = learn("zh")
print(accuracy(model, held_out) > 0.99)
for r, sense, at in zip(demos("zh"), senses_of(model, demos("zh")), heaviest(model, demos("zh")), strict=True):
    print(" ".join(r.words), "|", r.words[r.at], "→", sense, "|", r.words[at])

# %% [markdown]
# <!-- prints:
# True
# 我 喜欢 吃 苹果 | 苹果 → fruit | 吃
# 我 用 苹果 电脑 | 苹果 → company | 电脑
# 我 喜欢 用 苹果 电脑 | 苹果 → company | 电脑
# 我 吃 苹果 | 苹果 → fruit | 吃
# 我 吃 苹果 ， 他 用 小米 手机 | 苹果 → fruit | 吃
# 我 吃 苹果 ， 他 用 小米 手机 | 小米 → company | 手机
# 我 吃 小米 ， 他 用 苹果 手机 | 小米 → fruit | 吃
# 我 吃 小米 ， 他 用 苹果 手机 | 苹果 → company | 手机
# 她 投资 苹果 ， 我 煮 小米 | 苹果 → company | 投资
# 她 投资 苹果 ， 我 煮 小米 | 小米 → fruit | 煮
# 她 煮 小米 粥 ， 我 投资 苹果 | 小米 → fruit | 煮
# 她 煮 小米 粥 ， 我 投资 苹果 | 苹果 → company | 投资
# -->
#
# 每行最后一个词，是它看得最重的词。句子全是没见过的，答案全对，看的也都是线索。
#
# ```figure module="senses"
# title: 训练之后，「苹果」在看谁（水果）
# description: 四个词：我、喜欢、吃、苹果。从「苹果」出发，指向「吃」的线远比其他线粗。
# caption: 训练之后的权重：「我喜欢吃苹果」里的「苹果」看向「吃」。
# language: zh
# sentence: [我, 喜欢, 吃, 苹果]
# ```
#
# ```figure module="senses"
# title: 训练之后，「苹果」在看谁（公司）
# description: 四个词：我、用、苹果、电脑。从「苹果」出发，指向「电脑」的线远比其他线粗。
# caption: 换一句话，同一个「苹果」看向「电脑」。
# language: zh
# sentence: [我, 用, 苹果, 电脑]
# ```
#
# 看过上下文之前，两个「苹果」是同一个向量，余弦是1；看过之后，它们几乎指向相反的方向：

# %%
fruit, company = demos("zh")[:2]
with torch.no_grad():
    before = [model.vectors([r.words])[0, r.at] for r in (fruit, company)]
    after = [model.mixed([r])[0] for r in (fruit, company)]
print(f"{torch.cosine_similarity(*before, dim=0):.2f}")
print(torch.cosine_similarity(*after, dim=0) < -0.9)

# %% [markdown]
# <!-- prints:
# 1.00
# tensor(True)
# -->
#
# ## 三个对照 { #controls }
#
# 把题目出得刁钻些：两句话用的词一模一样，只是「苹果」和「小米」换了位置，例如「我吃苹果，他用小米手机」和「我吃小米，他用苹果手机」。

# %%
pairs = mirrored("zh")
for context in ("alone", "bag", "unordered", "attention"):
    rival = model if context == "attention" else learn("zh", context)
    print(f"{context:9}", accuracy(rival, pairs) == 0.5, accuracy(rival, pairs) > 0.99)

# %% [markdown]
# <!-- prints:
# alone     True False
# bag       True False
# unordered True False
# attention False True
# -->
#
# 前三个都**恰好**对一半，这不是巧合。只看自己的（alone），「苹果」永远是同一个答案。不分轻重地平均的（bag），两句话的词相同，平均值也相同。没有位置的注意力（unordered）也一样：它看到的是一堆词，不知道谁挨着谁。只有既会挑、又知道远近的，才分得清。
#
# ## 遮住它看的那个词 { #hide }
#
# 权重大，就说明答案靠它吗？遮住看得最重的词，再看答案变不变；作为对照，遮住另一个词：

# %%
cue = heaviest(model, held_out)
other = [next(i for i in range(len(r.words)) if i not in (at, r.at)) for r, at in zip(held_out, cue, strict=True)]
print(flips(model, held_out, cue) > 0.5)
print(flips(model, held_out, other))

# %% [markdown]
# <!-- prints:
# True
# 0.0
# -->
#
# 遮住线索，一多半答案翻了过来；遮住别的词，一个也没变。为什么不是全部？模型总得在两个答案里选一个，没有线索时就落回默认的那个，而默认的有时正是原来的答案。
#
# 自己试试：选一句话，再点一个词把它遮住；一次只能遮一个。
#
# ```figure module="explorer"
# title: 遮住一个词，看答案变不变
# description: 三个词：我、吃、苹果。从「苹果」出发，指向「吃」的线远比其他线粗。
# caption: 方框里的词在看全句；点别的词，把它遮住。每个数都是建站时由训练好的模型算出的。
# language: zh
# sentence: [我, 吃, 苹果]
# fruit: 水果
# company: 公司
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
# 有的句子里线索不止一处：「她煮小米粥」里，「煮」和「粥」都够用。换几个随机种子重新训练，答案都一样，看得最重的词却不一样；遮住它，答案也不变，因为还有另一处：

# %%
twice = next(r for r in demos("zh") if {"煮", "粥"} <= set(r.words))
models = [learn("zh", size=200, steps=120, seed=seed) for seed in (2, 5, 7)]
print({senses_of(m, [twice])[0] for m in models})
print(sorted({twice.words[heaviest(m, [twice])[0]] for m in models}))
print({senses_of(m, [twice], heaviest(m, [twice]))[0] for m in models})

# %% [markdown]
# <!-- prints:
# {'fruit'}
# ['煮', '粥']
# {'fruit'}
# -->
#
# 所以，同样的答案可以配不同的图。权重告诉你信息从哪里取来，不等于「理由」；学界对此有过争论，见[历史](../deeper/history.md)。
#
# !!! note "这里简化了什么"
#
#     句子由一小套语法生成，词不到一百个，线索也干净。真实的语言里线索含混、层数众多，一张权重图远没有这样好读。这里的小数随机器略有不同，所以文中只写站得住的结论，图上的数字由建站时的那一次训练画出。
#
# ## 练习 { #exercises }
#
# **练习1.** 「我喜欢苹果」里没有任何线索。模型会怎么答？这个答案可信吗？
#
# ??? success "答案"
#
#     它总会在两个意思里选一个，因为它没有「不知道」这个选项。没有线索时的答案只反映训练中的偏好，不能当真。
#
#     ```pycon
#     >>> from attn.labs.senses import Reading
#     >>> senses_of(model, [Reading(("我", "喜欢", "苹果"), 2, "fruit")])[0] in SENSES
#     True
#     ```
#
# **练习2.** 把一个没学过的词放进句子，会发生什么？先猜，再试。
#
# ??? success "答案"
#
#     它没有这个词的向量，只能拒绝，并说出是哪个词。
#
#     ```pycon
#     >>> senses_of(model, [Reading(("我", "画", "苹果"), 2, "fruit")])
#     Traceback (most recent call last):
#     ValueError: words must be in the vocabulary: 画 are not
#     ```
#
# 下一页：[√dₖ 实验](sqrt-dk.py)。
