# %% [markdown]
# # The √dₖ lab: when scaling helps { #sqrt-dk }
#
# The argument in [Why we scale](../why-scale.md) has a premise: independent components with mean 0 and variance 1. Does it hold in a real model?
#
# **In one line**: not necessarily. With default initialization the scores start with a variance of about a ninth; with correlated components or longer vectors it goes far beyond 1. Dividing by $\sqrt{d_k}$ promises one thing only: the dimension by itself no longer pushes the scores up.
#
# ```console
# pip install {{ wheel }}
# ```
#
# !!! question "Guess first"
#
#     Without scaling, at 512 dimensions, does the gradient vanish in **every** row, or only in most? Where it vanishes, is it exactly 0?
#
# ## It is the typical row that vanishes { #typical-row }
#
# Take 4000 queries, 8 keys for each, all components drawn from a standard normal distribution. How large is the gradient of each row's softmax: on average, and in the row in the middle (the median)?
#
# <!-- numbers: q.shape[0]; k.shape[1] -->

# %%
import torch
from torch import nn

torch.set_num_threads(1)
_ = torch.manual_seed(0)


def gradient(scores):
    """How large the derivatives of eight weights by eight scores are, taken together."""
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
# With scaling, mean and median agree at 0.37: nearly every row is healthy. Without it the median is less than a hundredth of the mean: in at least three rows of ten the gradient is below a millionth, while in at least one of ten it isn't small at all. Those are rows whose two largest scores happen to be close, and they hold the average up. So "the gradient vanishes" speaks of the typical row, not of every row.
#
# <!-- numbers: scaled.mean() -->
#
# And nowhere is it 0 in mathematics, as each weight of a softmax is above 0. Where a computer shows 0, that is underflow; double precision still sees something:

# %%
row = torch.tensor([0.0, -200.0])
print(gradient(row).item() == 0, gradient(row.double()).item() > 0)

# %% [markdown]
# <!-- prints:
# True True
# -->
#
# ## Default initialization: a ninth { #initialization }
#
# PyTorch's `nn.Linear(d, d)` starts with matrix entries spread evenly between $\pm 1/\sqrt{d}$, which gives each a variance of $1/(3d)$. For inputs of variance 1, queries and keys then have a variance of about $1/3$ each, and the scaled scores one of about $1/9$:

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
# The 0.11 of the first line is that ninth: such a model begins by looking at all words nearly equally, and learns to choose. Start from a normal distribution of variance $1/d$ instead, and the scores have the variance 1 of the argument.
#
# <!-- numbers: default.var() -->
#
# ## When the premise fails { #assumptions }
#
# Break one assumption at a time. This is the variance, after scaling, of the scores that one query gives to 8 keys:

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
# With a mean of 1 the variance doubles. With vectors 3 times as long it grows to 81, which is $3^4 = 81$. With components that are all alike, 512 dimensions are really one, the variance is back at about 512, and the scaling might as well not be there. Training makes vectors longer, so some models normalize queries and keys before the dot product; see the [references](../references.md#henry2020).
#
# <!-- numbers: round(cases["3 times longer"] ** 0.25); round(cases["3 times longer"]) -->
#
# !!! note "What this page simplifies"
#
#     Queries and keys are random here, as at the very start of training. That scaling helps by keeping softmax out of saturation is what the Transformer paper **suspects**, no more; how large scores should be later on is for the data to say, and sharp attention is nothing bad.
#
# ## Exercises { #exercises }
#
# **Exercise 1.** Divide by $d_k$ instead of $\sqrt{d_k}$. What is the mean largest weight at 512 dimensions? Shared equally, each of the eight keys would get 0.125: how far from that is it?
#
# <!-- numbers: 1 / k.shape[1] -->
#
# ??? success "Answer"
#
#     About 0.13, nearly an equal share: only $1/d_k$ of the variance is left, and attention begins without preferring anything.
#
#     <!-- numbers: flat -->
#
#     ```pycon
#     >>> flat = (scores / d_k).softmax(dim=-1).amax(dim=-1).mean().item()
#     >>> print(f"{flat:.2f}")
#     0.13
#     ```
#
# **Exercise 2.** Make queries and keys twice as long. How many times as large does the variance of the scaled scores become? Derive it, then compute it.
#
# ??? success "Answer"
#
#     The dot product is four times as large, its variance 16 times.
#
#     <!-- numbers: twice -->
#
#     ```pycon
#     >>> twice = variance(2 * q, 2 * k) / variance(q, k)
#     >>> print(twice)
#     16.0
#     ```
#
# Next: [the bug zoo](bug-zoo.py).
