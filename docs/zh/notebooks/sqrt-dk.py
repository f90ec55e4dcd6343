# %% [markdown]
# # √dₖ 实验：缩放什么时候管用 { #sqrt-dk }
#
# [为什么要除以 √dₖ](../why-scale.md)用随机向量来论证：分量相互独立，均值为0，方差为1。这留下了两个问题。真实的层里是这样吗？这个根号对训练到底有什么影响？这里两样都量一量，还要训练几个小小的层，有的带根号，有的不带。
#
# 要跟着运行，先安装attn：
#
# ```console
# pip install {{ wheel }}
# ```
#
# !!! question "先猜一猜"
#
#     把同一个层训练三遍：分数除以$\sqrt{d_k}$，除以$d_k$，或者什么也不除。16维、64维、256维各做一次。不缩放的层在哪些维度上学得更差？刚迈第一步时，传到它的$W_q$的梯度，比缩放的层小，还是大？
#
# ## 多数行没有梯度，少数行太多 { #typical-row }
#
# 取4000个查询，每个面对8个键，维度是512，分量都取自标准正态分布。每一行分数，我们量两个大小。一个是softmax的梯度：分数动一点，权重跟着动多少。另一个是传到**查询**的梯度。分数是查询和键的点积，所以梯度在传向查询的路上要乘以键；分数乘过什么，它也要再乘一遍。
#
# <!-- numbers: q.shape[0]; k.shape[1]; d_k -->

# %%
import torch
from torch import nn

torch.set_num_threads(1)
_ = torch.manual_seed(0)


def jacobian(scores):
    """八个权重对八个分数的偏导数：i等于j时是w_i − w_i²，否则是−w_i w_j。"""
    weights = scores.softmax(dim=-1)
    return torch.diag_embed(weights) - weights[..., :, None] * weights[..., None, :]


def size(matrix):
    return matrix.norm(dim=(-2, -1))


def measured(q, k, scale):
    """每一行在分数处和查询处的梯度，归结成几个数。"""
    scores = (q @ k.mT)[:, 0] * scale                        # 每个查询一行
    at_scores = size(jacobian(scores))
    at_query = size(jacobian(scores) @ k * scale)            # 权重对查询的梯度
    most = at_query.sort(descending=True).values[: len(q) // 10]  # 得到最多的那一成行
    return [
        *(at_scores.mean(), at_scores.median()),
        *(at_query.mean(), at_query.median(), at_query.max(), most.sum() / at_query.sum()),
    ]


d_k = 512
q, k = torch.randn(4000, 1, d_k), torch.randn(4000, 8, d_k)
both = [measured(q, k, scale) for scale in (1, d_k**-0.5)]
for sizes, name in zip(both, ("不缩放", "缩放")):
    print(*(f"{x:.2f}" for x in sizes), f" {name}")

# %% [markdown]
# <!-- prints:
# 0.06 0.00 1.26 0.00 12.16 0.71  不缩放
# 0.37 0.37 0.37 0.37 0.47 0.11  缩放
# -->
#
# 每行先是分数处的平均数和中位数，再是查询处的平均数、中位数和最大值，最后是得到最多的那一成行占去的份额。缩放之后，两处的平均数和中位数都是0.37，那一成行占0.11，只比应得的略多一点。
#
# <!-- numbers: both[1][0]; both[1][5] -->
#
# 不缩放时，多数行的softmax饱和了，梯度的中位数是0.00，什么也传不过去。可是传到查询的梯度，平均起来并不比缩放时小：它是1.26，是缩放时的三倍多。因为有少数几行，最高的两个分数碰巧接近，梯度放得过去，再乘以键就变得很大。得到最多的那一成行，占了全部的0.71。所以，说「没有根号，梯度就传不回来」并不对。梯度传回来了，只是很不均匀：多数行一点没有，少数行太多。
#
# <!-- numbers: both[0][1]; both[0][2]; both[0][5] -->
#
# 维度要高到多少才会这样？换几种维度，再量一遍：

# %%
table = []
for d in 4, 16, 64, 256, 1024:
    many = torch.randn(2000, 1, d), torch.randn(2000, 8, d)
    table.append([d, *zip(*(measured(*many, scale) for scale in (1, d**-0.5)))])

# %% [markdown]
# 每一格里，箭头左边不缩放，右边缩放：
#
# | $d_k$ | softmax，平均 | softmax，中位数 | 查询，平均 | 查询，中位数 | 查询，最大 | 前一成行的份额 |
# | --: | --: | --: | --: | --: | --: | --: |
# | 4 | 0.34 → 0.36 | 0.37 → 0.36 | 0.6 → 0.3 | 0.60 → 0.33 | 1.6 → 0.8 | 0.2 → 0.1 |
# | 16 | 0.26 → 0.37 | 0.29 → 0.37 | 1.0 → 0.4 | 1.06 → 0.36 | 2.8 → 0.5 | 0.2 → 0.1 |
# | 64 | 0.15 → 0.37 | 0.06 → 0.37 | 1.2 → 0.4 | 0.44 → 0.36 | 4.8 → 0.5 | 0.3 → 0.1 |
# | 256 | 0.08 → 0.37 | 0.00 → 0.37 | 1.3 → 0.4 | 0.03 → 0.37 | 8.5 → 0.4 | 0.5 → 0.1 |
# | 1024 | 0.04 → 0.37 | 0.00 → 0.37 | 1.2 → 0.4 | 0.00 → 0.37 | 16.5 → 0.4 | 0.8 → 0.1 |
#
# <!-- numbers: table -->
#
# 不缩放时，softmax自己的梯度一行比一行小，查询处的平均数却不是这样，变的是谁得到它。256维以上，多数行几乎什么也没有；而在64维，前一成行还只占0.3。缩放之后，从16维起就几乎不动了。
#
# <!-- numbers: table[2][6][0] -->
#
# 在数学上，没有哪一行的梯度等于0，因为softmax的每个权重都大于0。电脑里的0是下溢，换成双精度就看得见了：

# %%
row = torch.tensor([0.0, -200.0])
print(f"{size(jacobian(row)):.0e} {size(jacobian(row.double())):.0e}")

# %% [markdown]
# <!-- prints:
# 0e+00 2e-87
# -->
#
# ## 一个层从哪里起步 { #initialization }
#
# 分数一开始有多大，要看矩阵怎么初始化。`nn.Linear(d, d)`在$\pm 1/\sqrt{d}$之间均匀地取初值，每个元素的方差是$1/(3d)$。输入的方差为1时，查询和键的方差各是$1/3$左右，缩放后分数的方差就在$1/9$左右。`nn.MultiheadAttention`不一样，它把Q、K、V的矩阵当成一个整体，在更宽的范围里取初值，最后得到$1/4$左右。如果用方差为$1/d$的正态分布，分数的方差才是推导里的1。

# %%
def starts(d_model):
    """初始化W_q和W_k的三种办法。"""
    both = nn.MultiheadAttention(d_model, 1).in_proj_weight[: 2 * d_model]
    return {
        "nn.Linear": [nn.Linear(d_model, d_model).weight for _ in range(2)],
        "nn.MultiheadAttention": both.split(d_model),
        "方差1/d": [torch.randn(d_model, d_model) / d_model**0.5 for _ in range(2)],
    }


x, y = torch.randn(2, 1000, d_k)
for name, (W_q, W_k) in starts(d_k).items():
    first = (x @ W_q.T) @ (y @ W_k.T).T / d_k**0.5           # 1000×1000
    weights = first[:, :8].softmax(dim=-1).sort().values.mean(dim=0)
    print(f"{first.var():.2f}  {weights[0]:.2f} {weights[-1]:.2f}  {name}")

# %% [markdown]
# <!-- prints:
# 0.11  0.08 0.19  nn.Linear
# 0.25  0.06 0.24  nn.MultiheadAttention
# 1.00  0.02 0.36  方差1/d
# -->
#
# 每行第一个数是分数的方差，后两个数是八个权重里最小的和最大的，取平均；如果平分，每个是0.125。可见由`nn.Linear`组成的层，一开始并不是平均地看所有的词，只是比推导所假设的更平均一些。
#
# <!-- numbers: 1 / k.shape[1] -->
#
# ## 训练一下 { #training }
#
# 现在给一个头出题。一共32个词，每道题拿其中八个作键，问的是八个中的一个，要交出与它对应的值。每个词用来问的向量和用来被找到的向量，是两个不相干的随机向量，所以$W_q$和$W_k$必须学会谁配谁，要学的也只有这两个矩阵。损失由输出算出，因此它们学到的一切都得穿过softmax传回来。函数返回的是：在新题里，正确的键得到最大权重的比例；$W_q$的第一个梯度的大小；还有在查询处量，得到梯度最多的那一成题占去多少。

# %%
def trained(d_k, scale, start, seed, lr=0.003, steps=60):
    """训练一个头；用双精度，好让每台机器算得一样。"""
    _ = torch.manual_seed(seed)
    asks, found = torch.randn(2, 32, d_k).double()           # 32 个词，每个词两个向量
    W_q, W_k = (nn.Linear(d_k, d_k, bias=False).double() for _ in range(2))
    if start is not None:
        for W in (W_q, W_k):
            nn.init.normal_(W.weight, std=start)
    keys = torch.rand(512, 32).argsort(dim=-1)[:, :8]        # 512 道题，每道八个词
    right = torch.randint(8, (512, 1))
    asked = keys.gather(1, right)
    V = torch.randn(512, 8, 16).double()
    target = V[torch.arange(512), right[:, 0]]

    def scores():
        return ((W_q(asks) @ W_k(found).T) * scale)[asked, keys]

    optimizer = torch.optim.Adam([W_q.weight, W_k.weight], lr=lr)
    first = None
    for _ in range(steps):                                   # 用前 256 道题学
        asking = scores()[:256]
        asking.retain_grad()
        output = (asking.softmax(dim=-1)[:, None] @ V[:256])[:, 0]
        loss = nn.functional.mse_loss(output, target[:256])
        optimizer.zero_grad()
        loss.backward()
        if first is None:                                    # 它的大小，和得到最多的那一成占多少
            at_query = (asking.grad[:, None] @ W_k(found)[keys[:256]]).norm(dim=(-2, -1))
            most = at_query.sort(descending=True).values[:25]
            first = W_q.weight.grad.norm().item(), (most.sum() / at_query.sum()).item()
        optimizer.step()
    hits = scores()[256:].argmax(dim=-1) == right[256:, 0]   # 用其余的题考
    return hits.double().mean().item(), first


def span(values):
    return f"{min(values):.2f}–{max(values):.2f}"


gradients = {}
for start in "nn.Linear", "方差1/d":
    for d in 16, 64, 256:
        std = None if start == "nn.Linear" else d**-0.5
        runs = [[trained(d, scale, std, seed) for seed in range(3)] for scale in (1, d**-0.5, 1 / d)]
        gradients[start, d] = [torch.tensor([first for _, first in run]).mean(dim=0) for run in runs]
        print(f"{d:3} ", *(span([hits for hits, _ in run]) for run in runs), f" {start}")

# %% [markdown]
# <!-- prints:
#  16  0.77–0.84 0.61–0.67 0.42–0.57  nn.Linear
#  64  0.91–0.96 1.00–1.00 0.97–1.00  nn.Linear
# 256  0.71–0.77 1.00–1.00 1.00–1.00  nn.Linear
#  16  0.52–0.63 0.62–0.71 0.46–0.60  方差1/d
#  64  0.48–0.73 0.96–1.00 0.95–1.00  方差1/d
# 256  0.47–0.68 1.00–1.00 1.00–1.00  方差1/d
# -->
#
# 每行开头是维度，接着是不缩放、除以$\sqrt{d_k}$、除以$d_k$的成绩，写的是三个种子里从最差到最好。（乱猜能得0.125。）
#
# <!-- numbers: 1 / k.shape[1] -->
#
# 在64维和256维上，不管从哪种初值起步，也不管哪个种子，不缩放的层都学得更差。而有了根号，256维的层和64维的学得一样好，初值和学习率都不用改。在16维上，要看从哪里起步：初值的方差是$1/d$时，根号还略微领先；换成`nn.Linear`，分数本来就小，不缩放的层反而更好。但这只是六十步的情形，走到300步，两边就打平了：

# %%
for scale in 1, 16**-0.5:
    print(span([trained(16, scale, None, seed, steps=300)[0] for seed in range(3)]))

# %% [markdown]
# <!-- prints:
# 0.89–0.99
# 0.89–0.99
# -->
#
# 除以$d_k$呢？一开始它的分数小得可怜，在16维上落在根号后面，到了256维却和根号一样好。[Yang等人](../references.md#yang2022)把模型越做越宽时，就特意除以$d_k$：训练会让查询和它的键渐渐一致，而两个一致的向量，点积随$d_k$增长，不是随它的根号。
#
# 不缩放的层学得差，是因为传到它的梯度太小吗？下面是$W_q$的第一个梯度的大小，先写不缩放的，再写带根号的；然后是那一成题的份额，次序相同：

# %%
for (start, d), (unscaled, scaled, _) in gradients.items():
    print(f"{d:3}  {unscaled[0]:.2f} {scaled[0]:.2f}  {unscaled[1]:.2f} {scaled[1]:.2f}  {start}")

# %% [markdown]
# <!-- prints:
#  16  0.44 0.11  0.22 0.20  nn.Linear
#  64  1.49 0.20  0.24 0.18  nn.Linear
# 256  4.20 0.40  0.34 0.17  nn.Linear
#  16  0.56 0.20  0.28 0.20  方差1/d
#  64  1.42 0.37  0.43 0.20  方差1/d
# 256  3.36 0.72  0.62 0.20  方差1/d
# -->
#
# 每一行里，都是不缩放的更大。所以这个层学得差，不是因为梯度总量不够。那么是因为像上面看到的那样，梯度分得不均吗？不全是。在256维上，初值的方差是$1/d$时，那一成占0.62，带根号的是0.20；可是在64维上，换成`nn.Linear`，只是0.24比0.18，而不缩放的层在每个种子上还是学得更差。分数一开始就太集中，每一步又动得太远，也都可能是原因。
#
# <!-- numbers: gradients[start, 256][0][1]; gradients[start, 256][1][1]; gradients["nn.Linear", 64][0][1]; gradients["nn.Linear", 64][1][1] -->
#
# 那么，会不会只要把学习率调小，或者让初值小一点，就够了？我们在256维上都试一遍。第一列的初值同上，方差是$1/d$；第二列的初值更小，小到不缩放的分数一开始方差就是1；第三列和第二列一样，只是学习率再降到四分之一；最后一列带根号：

# %%
for lr in 0.001, 0.003, 0.01:
    cases = (1, d**-0.5, lr), (1, d**-0.75, lr), (1, d**-0.75, lr / 4), (d**-0.5, d**-0.5, lr)
    runs = [[trained(d, *case[:2], seed, case[2])[0] for seed in range(3)] for case in cases]
    print(f"{lr:.3f} ", *map(span, runs))

# %% [markdown]
# <!-- prints:
# 0.001  0.50–0.57 1.00–1.00 1.00–1.00 1.00–1.00
# 0.003  0.47–0.68 0.99–1.00 1.00–1.00 1.00–1.00
# 0.010  0.46–0.62 0.77–0.93 1.00–1.00 1.00–1.00
# -->
#
# 从这种初值起步，只调小学习率，治不好；我们试过学习率降到十分之一、步数加到十倍，还是不行。从`nn.Linear`起步，这样做倒能治好大半。只调小初值，学习率也小的时候就够了；到了最后一行，它又落在后面。因为Adam这个优化器不管梯度多大，每一步都差不多大，而同样的一步，会让这样不缩放的分数动得更远，是带根号时的$d_k^{1/4}$倍，这里是4倍。学习率也除以4，两边就一样好了。
#
# 可见要让分数不越界，根号不是唯一的办法。在这里，它让同一种初值在各种维度上起步时分数一样大，0.003这一个学习率在64维和256维上也都够用。再远就不行了：我们试过1024维、学习率0.01，三个种子都是带根号的落在后面，除以$d_k$的却没有。
#
# <!-- numbers: trained.__defaults__[0]; lr -->
#
# ## 前提不成立时 { #assumptions }
#
# 查询和键相互独立，其中一边的各分量又互不相关，均值为0，方差为1，那么除以根号之后，分数的方差就是1。下面每次打破一处，看一个查询面对8个键时，分数的方差在缩放前后各是多少：

# %%
def variance(q, k):
    return (q @ k.mT)[:, 0].var(dim=-1).mean().item()


alike = q[..., :1].expand(q.shape), k[..., :1].expand(k.shape)   # 处处都是第一个分量
cases = {
    "符合前提": variance(q, k),
    "均值为1": variance(q + 1, k + 1),
    "长到3倍": variance(3 * q, 3 * k),
    "查询的分量全相等": variance(alike[0], k),
    "两边的分量全相等": variance(*alike),
    "键就是查询，正负号随机": variance(q, q * (2.0 * torch.randint(2, (len(q), 8, 1)) - 1)),
}
longer = cases["长到3倍"] / cases["符合前提"]
for case, value in cases.items():
    print(f"{float(f'{value:.2g}'):6.0f} {value / d_k:4.0f}  {case}")

# %% [markdown]
# <!-- prints:
#    510    1  符合前提
#   1000    2  均值为1
#  41000   81  长到3倍
#    520    1  查询的分量全相等
# 270000  529  两边的分量全相等
# 260000  517  键就是查询，正负号随机
# -->
#
# 均值是1，方差翻倍。向量长到3倍，方差变成81倍，因为$3^4 = 81$。只是查询的分量全都相等，键不这样，那就没有影响。如果两边的分量全都相等，512维其实就只是一维：不缩放时方差约为$d_k^2$，根号消去一个$d_k$，还剩一个。缩放照样把方差除以了$d_k$，但是不够，维度仍在把分数往上推。最后一行里，任何两个分量都不相关，可是查询和键并不独立，结果也差不多。
#
# <!-- numbers: round(longer**0.25); round(longer) -->
#
# 根号只认得维度，别的一概不知。要让分数无论如何都不越界，就得把向量本身归一化：[Henry等人](../references.md#henry2020)把查询和键的长度都变成1，再乘一个学出来的系数，代替缩放。
#
# !!! note "这里简化了什么"
#
#     一个头，一道编出来的题，一种优化器，不多的步数，三个种子。这足以说明缩放可以有影响、影响是怎样来的，却说明不了它在你的模型里有多重要。论文自己也只说**猜测**，点积过大会把softmax推进梯度极小的区域。训练后期分数该有多大，由数据说了算，注意力集中并不是坏事。
#
# ## 小结 { #in-short }
#
# 只要查询和键相互独立，其中一边的各分量又互不相关，除以$\sqrt{d_k}$就能让维度不再推高分数。没有它，维度高时，大半的梯度归了少数几行，本页的层也学得更差。维度低、初值又小的时候，有没有它可能无关紧要，有它甚至一开始稍微吃点亏，步数多了又打平。
#
# ## 练习 { #exercises }
#
# **练习1.** 如果不除以$\sqrt{d_k}$，而是除以$d_k$，512维时最大的权重平均是多少？八个键平分是0.125，它离平分有多远？
#
# <!-- numbers: 1 / k.shape[1] -->
#
# ??? success "答案"
#
#     大约0.13，几乎就是平分，因为分数的方差只剩$1/d_k$。不过这只是起点，从上面的成绩可以看到，它对终点说明不了什么。
#
#     <!-- numbers: flat -->
#
#     ```pycon
#     >>> flat = (q @ k.mT / d_k).softmax(dim=-1).amax(dim=-1).mean().item()
#     >>> print(f"{flat:.2f}")
#     0.13
#     ```
#
# **练习2.** 查询和键都长到两倍，分数的方差变成几倍？先推，再算。
#
# ??? success "答案"
#
#     点积变成四倍，方差变成16倍。
#
#     <!-- numbers: twice -->
#
#     ```pycon
#     >>> twice = variance(2 * q, 2 * k) / variance(q, k)
#     >>> print(twice)
#     16.0
#     ```
#
# 下一页：[错误动物园](bug-zoo.py)。
