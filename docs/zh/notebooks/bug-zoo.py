# %% [markdown]
# # 错误动物园：形状都对，结果都错 { #bug-zoo }
#
# 注意力写错了，常常不报错：形状对，也能训练，损失照样下降。怎样才能发现？
#
# 要跟着运行，先安装attn：
#
# ```console
# pip install {{ wheel }}
# ```
#
# 动物园里关着八只写错的注意力，都是容易犯的错。这里说的「错」，是指不合2017年的公式。也有模型故意这么做：T5的代码不除以根号，而是让$W_q$的初值更小；[Reformer](../references.md#kitaev2020)只要还有别的可看，就不让词看自己；[Yang等人](../references.md#yang2022)除以$d_k$。这八只的输出形状全都正确：

# %%
import torch

from attn import attention
from attn.labs.check import check_attention
from attn.labs.zoo import ZOO

_ = torch.manual_seed(0)
Q, K, V = (torch.randn(2, 6, 8) for _ in range(3))    # 2 句话，6 个词，每个 8 维
for wrong in ZOO:
    print(wrong.__name__, wrong(Q, K, V).shape == attention(Q, K, V).shape)

# %% [markdown]
# <!-- prints:
# softmax_over_queries True
# no_scaling True
# scaling_by_d_model True
# heads_split_by_view True
# heads_merged_by_view True
# inverted_mask True
# hidden_diagonal True
# minus_1e9 True
# -->
#
# !!! question "先猜一猜"
#
#     打开每个笼子之前，先问自己：要检查公式的**哪条性质**，才能不看源码就知道它错了？
#
# ## 第一笼：权重之和 { #row-sums }
#
# 让$V$全是1。每个查询的权重之和是1，所以输出也该全是1：

# %%
from attn.labs.zoo import softmax_over_queries

ones = torch.ones_like(V)
print(attention(Q, K, ones).allclose(ones))
print(softmax_over_queries(Q, K, ones).allclose(ones))

# %% [markdown]
# <!-- prints:
# True
# False
# -->
#
# ??? success "它错在哪里"
#
#     softmax沿着查询的方向做了：加起来等于1的是每一列，不是每一行。
#
#     <!-- source: labs.zoo.softmax_over_queries -->
#
# ## 第二笼：缩放 { #scale }
#
# 只有一个键时，不管分数是多少，权重都是1，什么也看不出来。用两个键，就能从输出反推权重，再由权重反推分数，因为按公式，两个分数之差等于点积之差除以$\sqrt{d_k}$。

# %%
from attn.labs.zoo import no_scaling, scaling_by_d_model


def score_gap(fn):
    """两个键的分数之差，由它们的权重反推：w₁/w₂ 的对数。"""
    pick = torch.tensor([[[1.0], [0.0]]] * 2)    # 第一个键的值是 1，第二个是 0
    weight = fn(Q[:, :1], K[:, :2], pick).flatten()
    return (weight / (1 - weight)).log()


gap = (Q[:, 0] * (K[:, 0] - K[:, 1])).sum(dim=-1)
print(score_gap(attention).allclose(gap / 8**0.5, atol=1e-4))
print(score_gap(no_scaling).allclose(gap, atol=1e-4))

# %% [markdown]
# <!-- prints:
# True
# True
# -->
#
# 第二行说明，`no_scaling`的分数没有除以任何东西。另一只更隐蔽：只有一个头时它完全正确，分成几个头才露馅，因为它除的是$\sqrt{d_\text{model}}$，而每个头的键只有$d_\text{model}/h$维：

# %%
one = [x.unflatten(-1, (4, 2)).transpose(1, 2) for x in (Q, K, V)]        # 4 个头，每个 2 维
right = attention(*one).transpose(1, 2).flatten(-2)
print(scaling_by_d_model(Q, K, V).allclose(attention(Q, K, V), atol=1e-6))
print(scaling_by_d_model(Q, K, V, num_heads=4).allclose(right, atol=1e-6))

# %% [markdown]
# <!-- prints:
# True
# False
# -->
#
# ## 第三笼：头 { #heads }
#
# 每个头只处理Q、K、V中属于它的那一段。所以有两个头时，不管怎样改动这三者的后半段，输出的前半段都不该变。第二笼的`scaling_by_d_model`头切得没错，正好作对照：

# %%
from attn.labs.zoo import heads_merged_by_view, heads_split_by_view

changed = [torch.cat([x[..., :4], torch.randn(2, 6, 4)], dim=-1) for x in (Q, K, V)]    # 只改后半段
for fn in (scaling_by_d_model, heads_split_by_view, heads_merged_by_view):
    before, after = (fn(*x, num_heads=2)[..., :4] for x in ((Q, K, V), changed))
    print(fn.__name__, torch.equal(before, after))

# %% [markdown]
# <!-- prints:
# scaling_by_d_model True
# heads_split_by_view False
# heads_merged_by_view False
# -->
#
# ??? success "它们错在哪里"
#
#     `view`只是按内存的次序重新切块。要拆成头，得先切开特征这一轴，再交换两轴；合并时先换回来，再展平。少了交换，一个头拿到的就是不同词的碎片。详见[多头](../deeper/multi-head.md)。
#
#     <!-- source: labs.zoo.heads_split_by_view -->
#
# ## 第四笼：掩码 { #masks }
#
# 改动被遮住的词的值，输出不该变。反过来，一个词既然看得见自己，改动它自己的值，输出就该变：

# %%
from attn.labs.zoo import hidden_diagonal, inverted_mask

mask = torch.ones(1, 6, 6, dtype=torch.bool)
mask[..., -1] = False                        # 最后一个词是填充
other = V.clone()
other[:, -1] += 1
for fn in (attention, inverted_mask):
    print(fn.__name__, torch.equal(fn(Q, K, V, mask=mask), fn(Q, K, other, mask=mask)))
for fn in (attention, hidden_diagonal):
    print(fn.__name__, torch.equal(fn(Q, K, V, causal=True)[:, -1], fn(Q, K, other, causal=True)[:, -1]))

# %% [markdown]
# <!-- prints:
# attention True
# inverted_mask False
# attention False
# hidden_diagonal True
# -->
#
# `inverted_mask`恰好只看被遮住的词。`hidden_diagonal`的最后一个词看不见自己，所以它自己的值变了，输出也不变：三角取偏了一格。
#
# ## 第五笼：半精度 { #half }
#
# 有时一个查询什么都不许看，例如整句都是填充。在float32里，最后一只还能交出一个数；换成float16就露了底：

# %%
from attn.labs.zoo import minus_1e9

blind = torch.zeros(1, 6, 6, dtype=torch.bool)    # 谁也不许看
half = [x.half() for x in (Q, K, V)]
for fn in (attention, minus_1e9):
    print(fn.__name__, [fn(*x, mask=blind).isfinite().all().item() for x in ((Q, K, V), half)])

# %% [markdown]
# <!-- prints:
# attention [True, True]
# minus_1e9 [True, False]
# -->
#
# float16最大只到65504，负十亿放不下，加到分数上就成了$-\infty$（用`masked_fill`去填，则会报错）；整行都是$-\infty$，softmax就得出NaN。`attention`不去加什么「很大的负数」，它用这种数据类型能表示的最负的数去填，再把权重清零。
#
# ## 交给check_attention { #check }
#
# 公式的这些性质，还有另外几条，都收在`check_attention`里。把你的函数交给它，它逐条去试，并说出最可能的错：

# %%
print(check_attention(no_scaling, language="zh"))

# %% [markdown]
# <!-- prints:
# ✓ 输出的形状是 (…, n, d_v)
# ✓ 每个查询的注意力权重之和为 1
# ✗ 注意力权重等于 softmax(QKᵀ/√d_k)
#   → 分数没有除以 √d_k
# ✓ 输出等于注意力权重乘以 V
# ✓ 打乱键和值的顺序，输出不变
# ✓ 分数很大时不溢出
# ✓ 前面的各维互不相干
# – 每个头只处理 Q、K、V 中属于它的那一段
#   → 未检查：函数没有参数 `num_heads`
# – 掩码为 True 的位置看得见，其余看不见
#   → 未检查：函数没有参数 `mask`
# – 看不见后面的词，但看得见自己
#   → 未检查：函数没有参数 `causal`
# ✓ float16 下结果也差不多
# ✓ 同样的输入得到同样的输出，输入本身不变
# 检查了 9 项，8 项没有发现问题。
# -->
#
# 八只一起过一遍，每一只都被叫出名字：

# %%
for wrong in ZOO:
    named = {name for finding in check_attention(wrong).findings for name in finding.mistakes}
    print(wrong.__name__, wrong.__name__ in named)

# %% [markdown]
# <!-- prints:
# softmax_over_queries True
# no_scaling True
# scaling_by_d_model True
# heads_split_by_view True
# heads_merged_by_view True
# inverted_mask True
# hidden_diagonal True
# minus_1e9 True
# -->
#
# 检查管不管用，要看它试了什么样的输入。下面头两个函数，如果测试时值和键恰好都是八个数，谁都会放行，因为那时$\sqrt{8}$正是对的。而一个从左上角画起的因果掩码，只要查询和键一样多，也看不出错。`check_attention`试的各种大小都不相同：

# %%
def by_eight(Q, K, V):
    return (Q @ K.mT / 8**0.5).softmax(dim=-1) @ V


def by_values(Q, K, V):
    return (Q @ K.mT / V.size(-1)**0.5).softmax(dim=-1) @ V


def upper_left(Q, K, V, causal=False):
    scores = Q @ K.mT / K.size(-1)**0.5
    future = torch.ones_like(scores).triu(1).bool() & causal
    return scores.masked_fill(future, torch.finfo(scores.dtype).min).softmax(dim=-1) @ V


for fn, options in (by_eight, {}), (by_values, {}), (upper_left, {"causal": True}):
    right = attention(Q, K, V, **options)
    print(fn(Q, K, V, **options).allclose(right, atol=1e-6), check_attention(fn).mistakes)

# %% [markdown]
# <!-- prints:
# True ['scaling_by_a_constant']
# True ['scaling_by_d_v']
# True ['first_lined_up']
# -->
#
# !!! note "这里简化了什么"
#
#     `check_attention`没有发现问题，只是说在它试过的少数小输入里没有发现，这不是证明。它不看梯度；极端的大小、别的设备和编译模式，也要另行测试。
#
# ## 小结 { #in-short }
#
# 损失在下降，分不出写对和写错。所以要看性质：多数的错都会破坏某一条2017年的公式必须满足的性质，知道是哪一条，一行代码就能让它现形。
#
# 如果你的注意力写在自己的文件里，连这几行也不用写。在命令行里，它照样逐条去问，用你系统的语言回答，也可以指定用哪种语言：
#
# ```console
# python -m attn.check mine.py
# ```
#
# ## 跑出来的是谁 { #detective }
#
# 现在反过来。八个里有一个跑了出来。每一个都装在别处全对的注意力里，所以只能靠检查来认。检查要挑着做：哪一项能把嫌疑犯分成差不多的两半？
#
# ```figure module="detective"
# title: 跑出来的是哪一个
# description: 一张八行十一列的表，每行一个错误，每列一项检查，通过打勾，不通过打叉。
# names:
#   softmax_over_queries: softmax沿着查询
#   no_scaling: 没有缩放
#   scaling_by_d_model: 除以√d_model
#   heads_split_by_view: 用view拆头
#   heads_merged_by_view: 用view并头
#   inverted_mask: 掩码反了
#   hidden_diagonal: 对角线被遮
#   minus_1e9: 填得太低，float16装不下
# tests:
#   rows: 每行权重之和是1
#   scale: 一个头，分数除以√dₖ
#   shuffle: 打乱键，输出不变
#   large: 分数极大也不溢出
#   mask: 遮住的键装什么都行
#   future: 后面的词改什么都不影响
#   itself: 第一个词看得见自己
#   half: float16加空行，没有NaN
#   heads_scale: 两个头，分数除以√dₖ
#   heads_shuffle: 两个头，打乱键，输出不变
#   heads_apart: 改一个头的输入，另一个头不变
# choose: 选一项检查
# accuse: 指认
# again: 再来一案
# start: 八个里面有一个跑了出来，形状全对。用尽量少的检查把它认出来。
# passed: 「{test}」通过了。八个里还有{left}个说得通。
# failed: 「{test}」没通过。八个里还有{left}个说得通。
# right: 对，就是「{name}」，你用了{used}项检查。每步都选得最好，平均要{average}项，最多{worst}项。
# wrong: 不对，是「{name}」，不是「{accused}」。
# early: 这次有运气的成分，别的也还说得通。
# out: "{name}，已排除"
# ```
#
# <!-- numbers: attention(Q, K, ones)[0, 0, 0].round(decimals=6) -->
#
# ## 练习 { #exercises }
#
# **练习1.** 自己写一个注意力，故意把缩放写成乘以$\sqrt{d_k}$。`check_attention`会怎么说？
#
# ??? success "答案"
#
#     它认得这个错：
#
#     ```pycon
#     >>> def upside_down(Q, K, V):
#     ...     return (Q @ K.mT * K.size(-1)**0.5).softmax(dim=-1) @ V
#     >>> [finding.mistakes for finding in check_attention(upside_down).findings if finding.holds is False]
#     [('scaling_upside_down',)]
#     ```
#
# **练习2.** 写一个正确的，不许用`softmax`，只用`exp`和求和。要通过全部检查，得注意什么？
#
# ??? success "答案"
#
#     先减去每行的最大值，否则分数一大，`exp`就上溢。
#
#     ```pycon
#     >>> def mine(Q, K, V):
#     ...     scores = Q @ K.mT / K.size(-1)**0.5
#     ...     powers = (scores - scores.amax(dim=-1, keepdim=True)).exp()
#     ...     return powers / powers.sum(dim=-1, keepdim=True) @ V
#     >>> any(finding.holds is False for finding in check_attention(mine).findings)
#     False
#     ```
#
# 下一页：[参考资料](../references.md)。
