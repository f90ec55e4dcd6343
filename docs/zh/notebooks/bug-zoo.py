# %% [markdown]
# # 错误动物园：形状都对，结果都错 { #bug-zoo }
#
# 注意力写错了，多半不报错：形状对，也能训练，损失照样下降。怎样才能发现？
#
# **一句话回答**：别看损失，看性质。每一种错都会破坏某一条注意力必须满足的性质；找对了性质，一行代码就能让它现形。
#
# ```console
# pip install {{ wheel }}
# ```
#
# 动物园里关着八个错误的注意力，每一个都在公开的代码里出现过。它们的输出形状全都正确：

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
#     每打开一个笼子之前，先问自己：要检查**哪条性质**，才能不看源码就知道它错了？
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
# 只有一个键时，权重永远是1，什么也看不出来。用两个键，就能从输出反推权重，再反推分数：两个分数之差应当等于点积之差除以$\sqrt{d_k}$。

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
# 每个头只该动每个词中属于它的那一段。所以，改动每个词向量的后半段，前半段的输出不该变。第二笼的`scaling_by_d_model`头切得没错，正好作对照：

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
#     `view`只是按内存的次序重新切块。要拆成头，得先切开特征这一维，再交换两维；合并时先换回来，再展平。少了交换，一个头拿到的就是不同词的碎片。详见[多头](../deeper/multi-head.md)。
#
#     <!-- source: labs.zoo.heads_split_by_view -->
#
# ## 第四笼：掩码 { #masks }
#
# 改动被遮住的词，输出不该变；看得见自己，改动自己的值，输出就该变：

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
# float16最大只到65504，负十亿放不下，成了$-\infty$；整行都是$-\infty$，softmax就得出NaN。`attn`从不加一个「很大的负数」，它用这种精度里最小的有限数去填，再把权重清零。
#
# ## 让它自己说 { #check }
#
# 这些性质都收在`check_attention`里。把你的函数交给它，它逐条检查，并说出最可能的错：

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
# – 每个头只处理每个词中属于它的那一段
#   → 未检查：函数没有参数 `num_heads`
# – 掩码为 True 的位置看得见，其余看不见
#   → 未检查：函数没有参数 `mask`
# – 看不见后面的词，但看得见自己
#   → 未检查：函数没有参数 `causal`
# ✓ 半精度下也正确
# 检查了 8 项，成立 7 项。
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
# !!! note "这里简化了什么"
#
#     通过全部检查，只说明这些性质成立，不是证明。检查用的是少量随机数据；极端的形状、别的设备和编译模式，仍要另行测试。
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
