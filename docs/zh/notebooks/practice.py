# %% [markdown]
# # 练习本：自己写一遍注意力 { #practice }
#
# 读懂了不等于写得出来。这一页把注意力拆成七块，每块几行，由你来写；写完运行，它会当场回答你写得对不对，错了还会告诉你像是犯了哪种错。七块写完，接起来就是一个能接话的模型里最要紧的部分。
#
# 页面上的代码格改不了，所以先把这一页下载成Jupyter笔记本（链接在页脚），在自己的机器上打开，或者传到你常用的在线笔记本里。每一格里的`...`就是要你写的地方。
#
# !!! question "先猜一猜"
#
#     七块里，你觉得哪一块最容易写错，而且错了不会报错？
#
#     - 分数，忘了除以$\sqrt{d_k}$
#     - 掩码，遮反了或者把自己也遮了
#     - 分头，切出来的形状对，内容却串了
#
# ```console
# pip install {{ wheel }}
# ```
#
# ## 它怎么回答 { #how }
#
# 先看看它怎么说话。下面这个分数忘了除以根号：

# %%
import torch

from attn.labs.practice import practice


def scores(Q, K):
    return Q @ K.T


print(practice("scores", scores, "zh"))

# %% [markdown]
# <!-- prints:
# scores：分数没有除以 √d_k
# -->
#
# 它不只说错，还认出了是哪一种错。认不出来的时候，它会指出第一个不对的数，和那个数应该是多少。还没写的，它只会说还没写。
#
# ## 分数 { #scores }
#
# $Q$是$n \times d_k$，$K$是$m \times d_k$。返回缩放过的分数，一个查询一行，一个键一列。

# %%
def scores(Q, K):
    ...  # 你来写


print(practice("scores", scores, "zh"))

# %% [markdown]
# <!-- prints:
# scores：还没写，什么也没有返回
# -->
#
# ??? success "答案"
#
#     ```pycon
#     >>> def scores(Q, K):
#     ...     return Q @ K.T / K.size(-1) ** 0.5
#     ...
#     >>> print(practice("scores", scores, "zh"))
#     scores：对了，3组数都对
#     ```
#
#     还记得吗？查询的一行乘键的一行，再除以键长的平方根，见[手算](../by-hand.md#transpose)。
#
# ## 权重 { #weights }
#
# 把每一行分数变成权重：都是正数，一行加起来是1。不要用现成的softmax，用`exp`和`sum`写。

# %%
def weights(scores):
    ...  # 你来写


print(practice("weights", weights, "zh"))

# %% [markdown]
# <!-- prints:
# weights：还没写，什么也没有返回
# -->
#
# ??? success "答案"
#
#     ```pycon
#     >>> def weights(scores):
#     ...     powers = scores.exp()
#     ...     return powers / powers.sum(dim=-1, keepdim=True)
#     ...
#     >>> print(practice("weights", weights, "zh"))
#     weights：对了，3组数都对
#     ```
#
#     指数让每个数变正，除以总和让一行加起来是1。`keepdim=True`让总和留在原来的轴上，好一行除一行。
#
# ## 混合 { #mix }
#
# 按权重混合$V$的各行，返回每个查询的新向量。

# %%
def mix(weights, V):
    ...  # 你来写


print(practice("mix", mix, "zh"))

# %% [markdown]
# <!-- prints:
# mix：还没写，什么也没有返回
# -->
#
# ??? success "答案"
#
#     ```pycon
#     >>> def mix(weights, V):
#     ...     return weights @ V
#     ...
#     >>> print(practice("mix", mix, "zh"))
#     mix：对了，3组数都对
#     ```
#
#     一个查询一行权重，乘上$V$，正是加权的和。
#
# ## 不许看后面 { #hide }
#
# 分数是方的，第$i$行是第$i$个词在看。把后面的词遮住，返回新的分数，好让softmax给它们的权重恰好是0。

# %%
def hide(scores):
    ...  # 你来写


print(practice("hide", hide, "zh"))

# %% [markdown]
# <!-- prints:
# hide：还没写，什么也没有返回
# -->
#
# ??? success "答案"
#
#     ```pycon
#     >>> def hide(scores):
#     ...     later = torch.ones_like(scores, dtype=torch.bool).triu(1)
#     ...     return scores.masked_fill(later, -torch.inf)
#     ...
#     >>> print(practice("hide", hide, "zh"))
#     hide：对了，3组数都对
#     ```
#
#     `triu(1)`是对角线以上的部分，也就是后面的词；对角线上是自己，不遮。写$-\infty$而不写0，因为$e^0$是1。
#
# ## 分头 { #split }
#
# $x$是$n$个词，每个词$d$个数。把每个词的数平均切给各个头，返回三个轴，依次是头、词、每头的数。

# %%
def split(x, num_heads):
    ...  # 你来写


print(practice("split", split, "zh"))

# %% [markdown]
# <!-- prints:
# split：还没写，什么也没有返回
# -->
#
# ??? success "答案"
#
#     ```pycon
#     >>> def split(x, num_heads):
#     ...     return x.reshape(len(x), num_heads, -1).transpose(0, 1)
#     ...
#     >>> print(practice("split", split, "zh"))
#     split：对了，3组数都对
#     ```
#
#     先把每个词切开，再把头的轴换到前面。直接`reshape`成最后的形状，一个头就会拿到好几个词的碎片，而形状看不出来。
#
# ## 一个块 { #block }
#
# 注意力、前馈网络和归一化都给你了，都是函数。把它们接成一个块：先归一化再看，看到的加回去；先归一化再想，想到的也加回去。

# %%
def block(x, attention, feed_forward, norm):
    ...  # 你来写


print(practice("block", block, "zh"))

# %% [markdown]
# <!-- prints:
# block：还没写，什么也没有返回
# -->
#
# ??? success "答案"
#
#     ```pycon
#     >>> def block(x, attention, feed_forward, norm):
#     ...     x = x + attention(norm(x))
#     ...     return x + feed_forward(norm(x))
#     ...
#     >>> print(practice("block", block, "zh"))
#     block：对了，3组数都对
#     ```
#
#     两次都是「加回去」，这就是残差连接，见[Transformer](../transformer.md#block)。
#
# ## 缓存 { #step }
#
# 模型写出了一个新词。缓存里是前面各词的$K$和$V$，新词的查询、键和值是`q`、`k`、`v`，各有一行。返回新词的输出，以及接上新词之后的$K$和$V$。

# %%
def step(K, V, q, k, v):
    ...  # 你来写


print(practice("step", step, "zh"))

# %% [markdown]
# <!-- prints:
# step：还没写，什么也没有返回
# -->
#
# ??? success "答案"
#
#     ```pycon
#     >>> def step(K, V, q, k, v):
#     ...     K, V = torch.cat([K, k]), torch.cat([V, v])
#     ...     output = mix(weights(scores(q, K)), V)
#     ...     return output, K, V
#     ...
#     >>> print(practice("step", step, "zh"))
#     step：对了，3组数都对
#     ```
#
#     先接上再看，因为新词也要看自己。前面的词一个也不用重算，见[KV缓存](../deeper/kv-cache.md)。
#
# ## 接起来 { #together }
#
# 七块都对了以后，你手里就有了一个注意力的全部。最后一道没有标准答案：用你的`split`、`scores`、`hide`、`weights`和`mix`写一个多头的因果注意力，存成`mine.py`，再用命令行来验，它会一条一条地告诉你哪些性质成立：
#
# ```console
# python -m attn.check mine.py
# ```
#
# 它查的东西更多，例如大的分数会不会溢出，半精度下还准不准。[错误动物园](bug-zoo.py)里的八个函数，就是过不了这一关的。
#
# ## 小结 { #in-short }
#
# 注意力是几块很短的代码：分数、权重、混合，加上遮住后面、切成几头、加回去、记下来。每一块都能写错而不报错，所以写完要拿数来对，而不是看它跑没跑通。
#
# ## 练习 { #exercises }
#
# **练习1.** 上面的答案里，`step`每次都用`cat`接上一行。句子有1000个词时，一共搬动了多少行？有什么办法不搬？
#
# <!-- numbers: words -->
#
# ??? success "答案"
#
#     第一次搬1行，第二次2行，一直到1000行，一共约50万行。办法是一开始就留好1000行的位置，每次只填一行，`attn`的`KVCache`就是这样做的。
#
#     ```pycon
#     >>> words = 1000
#     >>> sum(range(1, words + 1))
#     500500
#     ```
#
# 下一页：[常见的问题](../questions.md)。
