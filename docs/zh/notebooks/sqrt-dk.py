# %% [markdown]
# # √dₖ 实验：缩放什么时候管用 { #sqrt-dk }
#
# [为什么要除以 √dₖ](../why-scale.md)里的推导有个前提：分量相互独立，均值为0，方差为1。真实的模型里，这个前提成立吗？
#
# **一句话回答**：不一定。默认初始化时分数的方差只有九分之一左右；分量相关、向量变长时，方差又会远远超过1。除以$\sqrt{d_k}$只保证一件事：维度本身不再推高分数。
#
# ```console
# pip install {{ wheel }}
# ```
#
# !!! question "先猜一猜"
#
#     不缩放、512维时，是**每一行**的梯度都消失了，还是只是多数行？消失的那些行里，梯度恰好是0吗？
#
# ## 消失的是典型的行 { #typical-row }
#
# 造4000个查询，每个面对8个键，分量都取自标准正态分布。看每一行softmax梯度的大小：平均数是多少，排在正中间的那一行（中位数）又是多少？
#
# <!-- numbers: q.shape[0]; k.shape[1] -->

# %%
import torch
from torch import nn

torch.set_num_threads(1)
_ = torch.manual_seed(0)


def gradient(scores):
    """八个权重对八个分数的偏导数合在一起有多大。"""
    weights = scores.softmax(dim=-1)
    jacobian = torch.diag_embed(weights) - weights[..., :, None] * weights[..., None, :]
    return jacobian.norm(dim=(-2, -1))


d_k = 512
q, k = torch.randn(4000, 1, d_k), torch.randn(4000, 8, d_k)
scores = (q @ k.mT)[:, 0]                                    # 4000×8
unscaled, scaled = gradient(scores), gradient(scores / d_k**0.5)
print(f"{scaled.mean():.2f} {scaled.median():.2f}")
print(unscaled.mean() > 100 * unscaled.median())
print(f"{(unscaled < 1e-6).float().mean():.2f} {(unscaled > 0.1).float().mean():.2f}")

# %% [markdown]
# <!-- prints:
# 0.37 0.37
# tensor(True)
# 0.35 0.16
# -->
#
# 缩放之后，平均数和中位数一样，都是0.37：几乎每一行都健康。不缩放时，中位数不到平均数的百分之一：三成以上的行梯度小于百万分之一，可还有一成以上的行梯度并不小。后者是两个最大分数碰巧接近的行，平均数就是被它们撑起来的。所以说「梯度消失」，指的是典型的那一行，不是每一行。
#
# <!-- numbers: scaled.mean() -->
#
# 也没有哪一行的梯度在数学上等于0：softmax的每个权重都大于0。电脑里的0是下溢，换成双精度就看得见了：

# %%
row = torch.tensor([0.0, -200.0])
print(gradient(row).item() == 0, gradient(row.double()).item() > 0)

# %% [markdown]
# <!-- prints:
# True True
# -->
#
# ## 默认初始化：方差是九分之一 { #initialization }
#
# PyTorch的`nn.Linear(d, d)`在$\pm 1/\sqrt{d}$之间均匀地取初值，每个权重的方差是$1/(3d)$。输入的方差为1时，查询和键的方差各是$1/3$左右，缩放后分数的方差就在$1/9$左右：

# %%
x, y = torch.randn(2, 1000, d_k)
W_q, W_k = nn.Linear(d_k, d_k), nn.Linear(d_k, d_k)
with torch.no_grad():
    default = W_q(x) @ W_k(y).T / d_k**0.5
    for W in (W_q, W_k):
        nn.init.normal_(W.weight, std=d_k**-0.5)
        nn.init.zeros_(W.bias)
    unit = W_q(x) @ W_k(y).T / d_k**0.5
print(f"{default.var():.2f}")
print(f"{unit.var():.1f}")

# %% [markdown]
# <!-- prints:
# 0.11
# 1.0
# -->
#
# 第一行0.11正是九分之一：这样的模型一开始几乎平均地看所有词，学着学着才挑起来。把初始化换成方差$1/d$的正态分布，分数的方差才是推导里的1。
#
# <!-- numbers: default.var() -->
#
# ## 前提不成立时 { #assumptions }
#
# 逐条打破前提，看缩放之后，一个查询面对8个键时分数的方差：

# %%
def variance(q, k):
    return ((q @ k.mT)[:, 0] / d_k**0.5).var(dim=-1).mean().item()


n = len(q)
cases = {
    "as assumed": variance(torch.randn(n, 1, d_k), torch.randn(n, 8, d_k)),
    "mean 1": variance(torch.randn(n, 1, d_k) + 1, torch.randn(n, 8, d_k) + 1),
    "3 times longer": variance(3 * torch.randn(n, 1, d_k), 3 * torch.randn(n, 8, d_k)),
    "all components equal": variance(torch.randn(n, 1, 1).expand(n, 1, d_k), torch.randn(n, 8, 1).expand(n, 8, d_k)),
}
for case, value in cases.items():
    print(f"{case:21}", round(value) if value < 100 else "> 100")

# %% [markdown]
# <!-- prints:
# as assumed            1
# mean 1                2
# 3 times longer        81
# all components equal  > 100
# -->
#
# 均值是1，方差翻倍；向量长到3倍，方差变成81倍，也就是$3^4 = 81$；分量完全相关，512维其实只是一维，方差回到了512上下，缩放等于没做。训练会让向量变长，所以有的模型干脆在点积之前先把查询和键归一化，见[参考资料](../references.md#henry2020)。
#
# <!-- numbers: round(cases["3 times longer"] ** 0.25); round(cases["3 times longer"]) -->
#
# !!! note "这里简化了什么"
#
#     这里只看随机的查询和键，也就是训练刚开始的样子。论文也只是**猜测**，缩放的好处来自避开softmax的饱和区；训练后期分数该有多大，由数据说了算，尖锐的注意力并不是坏事。
#
# ## 练习 { #exercises }
#
# **练习1.** 如果不除以$\sqrt{d_k}$，而是除以$d_k$，512维时最大的权重平均是多少？八个键平均分是0.125，它离平均分有多远？
#
# <!-- numbers: 1 / k.shape[1] -->
#
# ??? success "答案"
#
#     大约0.13，几乎就是平均分：分数的方差只剩$1/d_k$，注意力一开始什么也挑不出来。
#
#     <!-- numbers: flat -->
#
#     ```pycon
#     >>> flat = (scores / d_k).softmax(dim=-1).amax(dim=-1).mean().item()
#     >>> print(f"{flat:.2f}")
#     0.13
#     ```
#
# **练习2.** 查询和键都长到两倍，缩放后分数的方差变成几倍？先推，再算。
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
