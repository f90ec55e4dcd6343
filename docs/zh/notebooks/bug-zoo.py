# %% [markdown]
# # 错误动物园：形状都对，结果都错 { #bug-zoo }
#
# 注意力写错了，常常不报错：形状对，也能训练，损失照样下降。那怎样才能发现？
#
# 要跟着运行，先安装attn：
#
# ```console
# pip install {{ wheel }}
# ```
#
# 动物园里关着八只写错的注意力，都是容易犯的错。这里说的「错」，是指不合2017年的公式。也有模型故意这么做：T5的代码不除以根号，而是让$W_q$的初值更小；[Reformer](../references.md#kitaev2020)只要还有别的可看，就不让词看自己；[Yang等人](../references.md#yang2022)除以$d_k$。
#
# 让一只写对的用自己的三个矩阵算出答案，再让八只从同样的起点学100步，每一只都只错一处。
#
# !!! question "先猜一猜"
#
#     看它们的损失，能看出谁写错了吗？
#
#     - 能，写错的学不动，损失几乎不降
#     - 能，损失都在降，但写错的八只全都停得更高
#     - 不全能，写错的里面，有几只降得和写对的一样低

# %%
import torch

from attn import attention
from attn.labs.check import check_attention
from attn.labs.lineup import BUGS, suspect

torch.set_num_threads(1)
look = torch.ones(6, 6, dtype=torch.bool)
look[:, -1] = False                     # 最后一个词是填充
options = {"num_heads": 2, "mask": look, "causal": True}


def train(bug):
    """学同一道题，一步一步地给出损失。"""
    _ = torch.manual_seed(0)
    X = torch.randn(32, 6, 8)                                     # 32 句话，6 个词，每个 8 维
    teacher, student = torch.randn(2, 3, 8, 8) / 3                # 各是 W_q、W_k、W_v
    target = suspect("none")(*(X @ teacher[:, None]), **options)  # 答案由没有错的给出
    optimizer = torch.optim.Adam([student.requires_grad_()], lr=0.05)
    for _ in range(100):
        output = suspect(bug)(*(X @ student[:, None]), **options)
        loss = (output - target).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        yield loss.item()


last = {}
for bug in ("写对的", *BUGS):
    first, *_, last[bug] = train(bug)
    print(f"{first:.2f} → {last[bug]:.2f}  {bug}")

# %% [markdown]
# <!-- prints:
# 1.25 → 0.00  写对的
# 1.09 → 0.21  softmax_over_queries
# 1.40 → 0.00  no_scaling
# 1.20 → 0.00  scaling_by_d_model
# 1.30 → 0.37  heads_split_by_view
# 1.28 → 0.33  heads_merged_by_view
# 0.99 → 0.42  inverted_mask
# 1.15 → 0.28  hidden_diagonal
# 1.25 → 0.00  minus_1e9
# -->
#
# 没有一只报错，损失也全都在降。有三只和写对的降得一样低：缩放错了的两只，把$W_q$学得大一些或小一些就补了回来，最后一只在float32里本来就不错。其余五只停在0.21到0.42之间，可是手边若没有写对的，谁知道是写错了，还是题太难？
#
# <!-- numbers: sorted(last.values())[4]; max(last.values()) -->
#
# 所以要找公式必须满足的性质。打开每个笼子之前，先问自己：给它什么样的Q、K、V，不看源码也知道它错了？
#
# ## 第一笼：权重之和 { #row-sums }
#
# 权重藏在里面。V里放什么，才能从输出看出一个查询的权重加起来是不是1？全放1，输出就是权重之和。下面是第一句话的六个查询：

# %%
from attn.labs.zoo import softmax_over_queries

_ = torch.manual_seed(0)
Q, K, V = (torch.randn(2, 6, 8) for _ in range(3))    # 2 句话，6 个词，每个 8 维
ones = torch.ones_like(V)
for fn in (attention, softmax_over_queries):
    print(*(f"{total:.2f}" for total in fn(Q, K, ones)[0, :, 0]), f" {fn.__name__}")

# %% [markdown]
# <!-- prints:
# 1.00 1.00 1.00 1.00 1.00 1.00  attention
# 1.06 1.15 1.63 0.93 0.80 0.43  softmax_over_queries
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
# 怎样从输出看出分数除以了多少？只有一个键时，不管分数是多少，权重都是1。用两个键，让第一个的值是1，第二个是0，输出就是第一个键的权重，由它可以反推两个分数之差。拿点积之差除以它，就是分数除以的那个数：

# %%
from attn.labs.zoo import no_scaling, scaling_by_d_model


def divided_by(fn, d_k=8, **options):
    """头一个头的分数除以了多少：点积之差，除以由权重反推的分数之差。"""
    products = Q[0, 0, :d_k] @ K[0, :2, :d_k].T
    pick = torch.tensor([1.0, 0.0])[:, None].expand(2, 2, 8)    # 第一个键的值是 1，第二个是 0
    weight = fn(Q[:, :1], K[:, :2], pick, **options)[0, 0, 0]
    return (products[0] - products[1]) / (weight / (1 - weight)).log()


for fn in (attention, no_scaling, scaling_by_d_model):
    print(f"{divided_by(fn):.2f}  {fn.__name__}")
print(f"{divided_by(scaling_by_d_model, d_k=2, num_heads=4):.2f}  scaling_by_d_model, num_heads=4")

# %% [markdown]
# <!-- prints:
# 2.83  attention
# 1.00  no_scaling
# 2.83  scaling_by_d_model
# 2.83  scaling_by_d_model, num_heads=4
# -->
#
# 只有一个头时，`scaling_by_d_model`和公式一样，除以$\sqrt{8}$，也就是2.83；`no_scaling`除的是1。分成四个头，每个头的键只有2维，该除以$\sqrt{2}$，也就是1.41，它除的却还是$\sqrt{d_\text{model}}$。只用一个头，试不出它的错。
#
# <!-- numbers: Q.size(-1)**0.5; (Q.size(-1) / 4)**0.5 -->
#
# ## 第三笼：头 { #heads }
#
# 每个头只处理Q、K、V中属于它的那一段。把这三者的后半段换掉，两个头里的前一个该变多少？一点也不该变。`scaling_by_d_model`头切得没错，正好作对照；打印的是输出的前半段里最大的变化：

# %%
from attn.labs.zoo import heads_merged_by_view, heads_split_by_view

changed = [torch.cat([x[..., :4], torch.randn(2, 6, 4)], dim=-1) for x in (Q, K, V)]    # 只改后半段
for fn in (scaling_by_d_model, heads_split_by_view, heads_merged_by_view):
    before, after = (fn(*x, num_heads=2)[..., :4] for x in ((Q, K, V), changed))
    print(f"{(after - before).abs().max():.2f}  {fn.__name__}")

# %% [markdown]
# <!-- prints:
# 0.00  scaling_by_d_model
# 1.47  heads_split_by_view
# 1.16  heads_merged_by_view
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
# 遮住最后一个词，再把它的值加1，输出不该变。反过来，有因果掩码时最后一个词看得见自己，它的输出就该变。各变了多少？

# %%
from attn.labs.zoo import hidden_diagonal, inverted_mask

mask = torch.ones(1, 6, 6, dtype=torch.bool)
mask[..., -1] = False                        # 最后一个词是填充
other = V.clone()
other[:, -1] += 1
for fn, options in (
    (attention, {"mask": mask}), (inverted_mask, {"mask": mask}),
    (attention, {"causal": True}), (hidden_diagonal, {"causal": True}),
):
    change = fn(Q, K, other, **options) - fn(Q, K, V, **options)
    print(f"{change[0, -1, 0]:.2f}  {fn.__name__}, {', '.join(options)}")

# %% [markdown]
# <!-- prints:
# 0.00  attention, mask
# 1.00  inverted_mask, mask
# 0.11  attention, causal
# 0.00  hidden_diagonal, causal
# -->
#
# `inverted_mask`恰好只看被遮住的词，所以输出也整整加了1。`hidden_diagonal`的最后一个词看不见自己，它自己的值变了，输出却一动不动：三角取偏了一格。
#
# ## 第五笼：半精度 { #half }
#
# 有时一个查询什么都不许看，例如整句都是填充。这时最后一只会交出什么？左边是float32，右边是float16：

# %%
from attn.labs.zoo import minus_1e9

blind = torch.zeros(1, 6, 6, dtype=torch.bool)    # 谁也不许看
half = [x.half() for x in (Q, K, V)]
for fn in (attention, minus_1e9):
    print(*(f"{fn(*x, mask=blind)[0, 0, 0]:.2f}" for x in ((Q, K, V), half)), f" {fn.__name__}")

# %% [markdown]
# <!-- prints:
# 0.00 0.00  attention
# 0.17 nan  minus_1e9
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
# 把另外七只也交给它，每一只都会被叫出名字。不过检查管不管用，要看它试了什么样的输入。下面头两个函数，如果测试时值和键恰好都是八个数，谁都会放行，因为那时$\sqrt{8}$正是对的。而一个从左上角画起的因果掩码，只要查询和键一样多，也看不出错：在我们的Q、K、V上，三个都与`attention`没有差别。`check_attention`试的各种大小都不相同，所以认得出：

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
    difference = fn(Q, K, V, **options) - attention(Q, K, V, **options)
    print(f"{difference.abs().max():.2f}  {fn.__name__}:", *check_attention(fn).mistakes)

# %% [markdown]
# <!-- prints:
# 0.00  by_eight: scaling_by_a_constant
# 0.00  by_values: scaling_by_d_v
# 0.00  upper_left: first_lined_up
# -->
#
# 如果你的注意力写在自己的文件里，就在命令行里问，它用你系统的语言回答，也可以指定用哪种语言：
#
# ```console
# python -m attn.check mine.py
# ```
#
# !!! note "这里简化了什么"
#
#     `check_attention`没有发现问题，只是说在它试过的少数小输入里没有发现，这不是证明。它不看梯度；极端的大小、别的设备和编译模式，也要另行测试。
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
# ## 小结 { #in-short }
#
# 损失在下降，分不出写对和写错；有的错连终点也和写对的一样。所以要看性质：多数的错都会破坏某一条2017年的公式必须满足的性质，知道是哪一条，挑一组合适的Q、K、V，一行代码就能让它现形。
#
# ## 练习 { #exercises }
#
# **练习1.** 第一笼的检查让V全是1。另外七只里，有几只也会被它查出来？为什么？
#
# ??? success "答案"
#
#     一只也没有。另外七只都沿着键做softmax，不管分数是多少，每一行的权重之和都是1；V又处处相同，头切错了也看不出来。一条性质只查得出破坏它的错。
#
#     ```pycon
#     >>> from attn.labs.zoo import ZOO
#     >>> [wrong.__name__ for wrong in ZOO if not wrong(Q, K, ones).allclose(ones)]
#     ['softmax_over_queries']
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
#     >>> check_attention(mine).mistakes
#     []
#     ```
#
# 下一页：[参考资料](../references.md)。
