# %% [markdown]
# # The √dₖ lab: when scaling helps { #sqrt-dk }
#
# [Why we scale](../why-scale.md) argues with random vectors whose components are independent, with mean 0 and variance 1. That leaves two questions open. Does this hold in a real layer? And what difference does the root make to training? Here we measure both, and we train small layers with the root and without it.
#
# To run along, install attn first:
#
# ```console
# pip install {{ wheel }}
# ```
#
# !!! question "Guess first"
#
#     Train the same layer three times, with scores divided by $\sqrt{d_k}$, by $d_k$, and by nothing at all. Do that at 16 dimensions, at 64 and at 256. Where will the layer without any scaling learn worse? And in its very first step, does less gradient reach its $W_q$ than with scaling, or more?
#
# ## Most rows get nothing, a few get too much { #typical-row }
#
# Take 4000 queries, 8 keys for each, and 512 dimensions, all components drawn from a standard normal distribution. For each row of scores we measure two sizes. One is that of softmax's gradient: how far the weights move when the scores move a little. The other is that of the gradient which reaches the **query**. On the way there it is multiplied by the keys, because the scores are their dot products, and by whatever the scores were multiplied by.
#
# <!-- numbers: q.shape[0]; k.shape[1]; d_k -->

# %%
import torch
from torch import nn

torch.set_num_threads(1)
_ = torch.manual_seed(0)


def jacobian(scores):
    """The derivatives of eight weights by eight scores: w_i − w_i² where i is j, −w_i w_j elsewhere."""
    weights = scores.softmax(dim=-1)
    return torch.diag_embed(weights) - weights[..., :, None] * weights[..., None, :]


def size(matrix):
    return matrix.norm(dim=(-2, -1))


def measured(q, k, scale):
    """Sizes at the scores and at the query, row by row, in a few numbers."""
    scores = (q @ k.mT)[:, 0] * scale                        # a row for each query
    at_scores = size(jacobian(scores))
    at_query = size(jacobian(scores) @ k * scale)            # of the weights by the query
    most = at_query.sort(descending=True).values[: len(q) // 10]  # the tenth that gets the most
    return [
        *(at_scores.mean(), at_scores.median()),
        *(at_query.mean(), at_query.median(), at_query.max(), most.sum() / at_query.sum()),
    ]


d_k = 512
q, k = torch.randn(4000, 1, d_k), torch.randn(4000, 8, d_k)
both = [measured(q, k, scale) for scale in (1, d_k**-0.5)]
for sizes, name in zip(both, ("unscaled", "scaled")):
    print(*(f"{x:.2f}" for x in sizes), f" {name}")

# %% [markdown]
# <!-- prints:
# 0.06 0.00 1.26 0.00 12.16 0.71  unscaled
# 0.37 0.37 0.37 0.37 0.47 0.11  scaled
# -->
#
# Each line gives mean and median at the scores. Then come mean, median and maximum at the query, and last the share that goes to the tenth of the rows which get the most. With scaling both means and both medians agree at 0.37, and that tenth gets 0.11, hardly more than its share.
#
# <!-- numbers: both[1][0]; both[1][5] -->
#
# Without scaling, softmax is saturated in most rows. Its gradient has a median of 0.00, and nothing gets through. But the mean of what reaches the query is not smaller than with scaling. It is 1.26, over three times as much, because the few rows whose two best scores happen to lie close together let the gradient pass, and the keys then multiply it. The tenth of the rows that gets the most gets 0.71 of the whole. So it would be wrong to say that without the root no gradient comes back. It comes back unevenly: most rows get none, and a few get far too much.
#
# <!-- numbers: both[0][1]; both[0][2]; both[0][5] -->
#
# How many dimensions does it take? Here is the same at more sizes:

# %%
table = []
for d in 4, 16, 64, 256, 1024:
    many = torch.randn(2000, 1, d), torch.randn(2000, 8, d)
    table.append([d, *zip(*(measured(*many, scale) for scale in (1, d**-0.5)))])

# %% [markdown]
# Left of each arrow is the number without scaling, right of it the one with:
#
# | $d_k$ | softmax, mean | softmax, median | query, mean | query, median | query, maximum | top tenth's share |
# | --: | --: | --: | --: | --: | --: | --: |
# | 4 | 0.34 → 0.36 | 0.37 → 0.36 | 0.6 → 0.3 | 0.60 → 0.33 | 1.6 → 0.8 | 0.2 → 0.1 |
# | 16 | 0.26 → 0.37 | 0.29 → 0.37 | 1.0 → 0.4 | 1.06 → 0.36 | 2.8 → 0.5 | 0.2 → 0.1 |
# | 64 | 0.15 → 0.37 | 0.06 → 0.37 | 1.2 → 0.4 | 0.44 → 0.36 | 4.8 → 0.5 | 0.3 → 0.1 |
# | 256 | 0.08 → 0.37 | 0.00 → 0.37 | 1.3 → 0.4 | 0.03 → 0.37 | 8.5 → 0.4 | 0.5 → 0.1 |
# | 1024 | 0.04 → 0.37 | 0.00 → 0.37 | 1.2 → 0.4 | 0.00 → 0.37 | 16.5 → 0.4 | 0.8 → 0.1 |
#
# <!-- numbers: table -->
#
# Without scaling softmax's own gradient dwindles from line to line, but the mean at the query doesn't. What changes is who gets it. At 256 dimensions and more most rows get nearly nothing, but at 64 the top tenth still has only 0.3 of the whole. With scaling hardly anything moves from 16 dimensions on.
#
# <!-- numbers: table[2][6][0] -->
#
# Nowhere is it 0 in mathematics, as each weight of a softmax is above 0. Where a computer shows 0, that is underflow, and double precision still sees something:

# %%
row = torch.tensor([0.0, -200.0])
print(f"{size(jacobian(row)):.0e} {size(jacobian(row.double())):.0e}")

# %% [markdown]
# <!-- prints:
# 0e+00 2e-87
# -->
#
# ## How a layer starts { #initialization }
#
# How large scores are at the start depends on how the matrices are initialized. `nn.Linear(d, d)` takes its entries evenly from between $\pm 1/\sqrt{d}$, which gives each a variance of $1/(3d)$. For inputs of variance 1, queries and keys then have a variance of about $1/3$ each, and the scaled scores one of about $1/9$. `nn.MultiheadAttention` starts otherwise: it initializes the matrices of Q, K and V as one, from a wider range, and arrives at about $1/4$. A normal distribution of variance $1/d$ gives the 1 of the argument.

# %%
def starts(d_model):
    """Three ways to initialize W_q and W_k."""
    both = nn.MultiheadAttention(d_model, 1).in_proj_weight[: 2 * d_model]
    return {
        "nn.Linear": [nn.Linear(d_model, d_model).weight for _ in range(2)],
        "nn.MultiheadAttention": both.split(d_model),
        "variance 1/d": [torch.randn(d_model, d_model) / d_model**0.5 for _ in range(2)],
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
# 1.00  0.02 0.36  variance 1/d
# -->
#
# The first number in each line is that variance. The other two are the smallest and the largest of eight weights, on average, where an equal share would be 0.125. So a layer made of `nn.Linear` doesn't look at all words alike in the beginning, but it comes closer to that than the argument assumes.
#
# <!-- numbers: 1 / k.shape[1] -->
#
# ## Train it { #training }
#
# Now a task for one head. There are 32 words. In each example eight of them are keys, one of the eight is asked for, and the layer has to return the value that stands with it. What a word is asked with and what it is found by are different random vectors, so $W_q$ and $W_k$ have to learn which belongs to which. Only these two learn. As the loss is computed from the output, all they learn comes back through softmax. The function returns the share of new examples in which the right key gets the largest weight, the size of the first gradient of $W_q$, and the share of it, taken at the queries, that goes to the tenth of the examples which get the most.

# %%
def trained(d_k, scale, start, seed, lr=0.003, steps=60):
    """One head learns; in double precision, so that every machine finds the same."""
    _ = torch.manual_seed(seed)
    asks, found = torch.randn(2, 32, d_k).double()           # two vectors for each of 32 words
    W_q, W_k = (nn.Linear(d_k, d_k, bias=False).double() for _ in range(2))
    if start is not None:
        for W in (W_q, W_k):
            nn.init.normal_(W.weight, std=start)
    keys = torch.rand(512, 32).argsort(dim=-1)[:, :8]        # 512 examples, eight words in each
    right = torch.randint(8, (512, 1))
    asked = keys.gather(1, right)
    V = torch.randn(512, 8, 16).double()
    target = V[torch.arange(512), right[:, 0]]

    def scores():
        return ((W_q(asks) @ W_k(found).T) * scale)[asked, keys]

    optimizer = torch.optim.Adam([W_q.weight, W_k.weight], lr=lr)
    first = None
    for _ in range(steps):                                   # learn from the first 256
        asking = scores()[:256]
        asking.retain_grad()
        output = (asking.softmax(dim=-1)[:, None] @ V[:256])[:, 0]
        loss = nn.functional.mse_loss(output, target[:256])
        optimizer.zero_grad()
        loss.backward()
        if first is None:                                    # its size; how much the tenth with the most gets
            at_query = (asking.grad[:, None] @ W_k(found)[keys[:256]]).norm(dim=(-2, -1))
            most = at_query.sort(descending=True).values[:25]
            first = W_q.weight.grad.norm().item(), (most.sum() / at_query.sum()).item()
        optimizer.step()
    hits = scores()[256:].argmax(dim=-1) == right[256:, 0]   # ask for the others
    return hits.double().mean().item(), first


def span(values):
    return f"{min(values):.2f}–{max(values):.2f}"


gradients = {}
for start in "nn.Linear", "variance 1/d":
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
#  16  0.52–0.63 0.62–0.71 0.46–0.60  variance 1/d
#  64  0.48–0.73 0.96–1.00 0.95–1.00  variance 1/d
# 256  0.47–0.68 1.00–1.00 1.00–1.00  variance 1/d
# -->
#
# Each line begins with the dimension. Then come the results without scaling, divided by $\sqrt{d_k}$, and divided by $d_k$, each from the worst of three seeds to the best. (Guessing would give 0.125.)
#
# <!-- numbers: 1 / k.shape[1] -->
#
# At 64 and 256 dimensions the layer without scaling does worse with each seed, whichever way it starts. With the root, a layer of 256 learns as well as one of 64, without any change to its start or its learning rate. At 16 dimensions it depends on the start: with variance $1/d$ the root is still a little ahead, but with `nn.Linear` the scores are small already, and the layer without scaling does better. But only after sixty steps. After 300 the two are level:

# %%
for scale in 1, 16**-0.5:
    print(span([trained(16, scale, None, seed, steps=300)[0] for seed in range(3)]))

# %% [markdown]
# <!-- prints:
# 0.89–0.99
# 0.89–0.99
# -->
#
# And division by $d_k$, which makes the scores tiny at first? It is behind the root at 16 and does as well as the root at 256. [Yang and others](../references.md#yang2022) divide by $d_k$ on purpose when they make models wider and wider: in training, a query comes to agree with its key, and the dot product of two vectors that agree grows like $d_k$, not like its root.
#
# Does the layer without scaling learn badly because too little gradient reaches it? Here is the size of the first gradient of $W_q$, without scaling and with the root, and then that share, again without and with:

# %%
for (start, d), (unscaled, scaled, _) in gradients.items():
    print(f"{d:3}  {unscaled[0]:.2f} {scaled[0]:.2f}  {unscaled[1]:.2f} {scaled[1]:.2f}  {start}")

# %% [markdown]
# <!-- prints:
#  16  0.44 0.11  0.22 0.20  nn.Linear
#  64  1.49 0.20  0.24 0.18  nn.Linear
# 256  4.20 0.40  0.34 0.17  nn.Linear
#  16  0.56 0.20  0.28 0.20  variance 1/d
#  64  1.42 0.37  0.43 0.20  variance 1/d
# 256  3.36 0.72  0.62 0.20  variance 1/d
# -->
#
# It is larger without scaling, in each line. So a lack of gradient as a whole is not what makes this layer worse. Is it how the gradient is shared, then, as we have seen above? Not that alone. At 256 dimensions and with variance $1/d$ the share is 0.62 against 0.20. But at 64 and with `nn.Linear` it is only 0.24 against 0.18, and there, too, the layer without scaling does worse with each seed. Scores that start sharp, and scores that move farther with each step, are rival explanations.
#
# <!-- numbers: gradients[start, 256][0][1]; gradients[start, 256][1][1]; gradients["nn.Linear", 64][0][1]; gradients["nn.Linear", 64][1][1] -->
#
# So perhaps all it takes is a smaller learning rate, or a smaller start? We run both, at 256 dimensions. The first column starts with variance $1/d$ as above, the second so small that the unscaled scores begin with a variance of 1, the third does the same with a quarter of the learning rate, and the last has the root:

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
# With this start a smaller learning rate alone doesn't mend it, nor did it when we tried a tenth of the rate with ten times the steps; starting from `nn.Linear`, that mended most of it. A smaller start does, as long as the learning rate is small, too: in the last line it falls behind, because a step of the optimizer Adam is about equally large whatever the gradient, and with it these unscaled scores move $d_k^{1/4}$ times as far, here 4 times. Divide the learning rate by 4 as well, and the two do the same.
#
# So the root is not the only way to keep scores in range. What it buys here is that one start keeps the first scores the same size at every dimension, and that one learning rate, 0.003, did for 64 and 256. It doesn't reach further: when we tried 1024 dimensions and 0.01, the root fell behind with each of three seeds, and division by $d_k$ did not.
#
# <!-- numbers: trained.__defaults__[0]; lr -->
#
# ## When the premise fails { #assumptions }
#
# Dividing by the root leaves a variance of 1 if queries and keys are independent of each other, and the components within one of them are uncorrelated, with mean 0 and variance 1. Break this in one place at a time. This is the variance of the scores that one query gives to 8 keys, before and after scaling:

# %%
def variance(q, k):
    return (q @ k.mT)[:, 0].var(dim=-1).mean().item()


alike = q[..., :1].expand(q.shape), k[..., :1].expand(k.shape)   # the first component everywhere
cases = {
    "as assumed": variance(q, k),
    "mean 1": variance(q + 1, k + 1),
    "3 times longer": variance(3 * q, 3 * k),
    "equal components in the query": variance(alike[0], k),
    "equal components in both": variance(*alike),
    "keys equal to the query, or to minus it": variance(q, q * (2.0 * torch.randint(2, (len(q), 8, 1)) - 1)),
}
longer = cases["3 times longer"] / cases["as assumed"]
for case, value in cases.items():
    print(f"{float(f'{value:.2g}'):6.0f} {value / d_k:4.0f}  {case}")

# %% [markdown]
# <!-- prints:
#    510    1  as assumed
#   1000    2  mean 1
#  41000   81  3 times longer
#    520    1  equal components in the query
# 270000  529  equal components in both
# 260000  517  keys equal to the query, or to minus it
# -->
#
# With a mean of 1 the variance doubles. With vectors 3 times as long it is 81 times as large, as $3^4 = 81$. If the components of each query are all alike, but not those of the keys, nothing happens. If they are all alike in both, 512 dimensions are really one: the variance is about $d_k^2$ without scaling, and the root takes away one factor of $d_k$ and leaves the other. Scaling then does what it always does, divide the variance by $d_k$, but that isn't enough, and the dimension still pushes the scores up. In the last line no two components are correlated at all, but query and keys are not independent, and the outcome is much the same.
#
# <!-- numbers: round(longer**0.25); round(longer) -->
#
# The root knows the dimension and nothing else. If one wants the scores in range whatever the vectors are, one has to normalize these: [Henry and others](../references.md#henry2020) bring queries and keys to length 1 and multiply by a learned factor instead.
#
# !!! note "What this page simplifies"
#
#     One head, one task that is made up, one optimizer, few steps and three seeds: that shows that scaling can matter, and how, but not how much it matters in your model. The Transformer paper itself only **suspects** that large dot products push softmax to where its gradients are tiny. How large scores should be later in training is for the data to say, and there is nothing wrong with sharp attention.
#
# ## In short { #in-short }
#
# As long as queries and keys are independent of each other, and the components of one of them uncorrelated, dividing by $\sqrt{d_k}$ keeps the dimension from pushing up the scores. Without it, at many dimensions, a few rows get most of the gradient, and the layers on this page learn worse than with it. At few dimensions, with matrices that start small, it may not matter, or cost a little at first; after more steps the two were level.
#
# ## Exercises { #exercises }
#
# **Exercise 1.** Divide by $d_k$ instead of $\sqrt{d_k}$. What is the mean largest weight at 512 dimensions? Shared equally, each of the eight keys would get 0.125: how far from that is it?
#
# <!-- numbers: 1 / k.shape[1] -->
#
# ??? success "Answer"
#
#     About 0.13, nearly an equal share, as only $1/d_k$ of the variance is left. That is so at the start; the table above shows how little it tells about the end.
#
#     <!-- numbers: flat -->
#
#     ```pycon
#     >>> flat = (q @ k.mT / d_k).softmax(dim=-1).amax(dim=-1).mean().item()
#     >>> print(f"{flat:.2f}")
#     0.13
#     ```
#
# **Exercise 2.** Make queries and keys twice as long. How many times as large does the variance of the scores become? Derive it, then compute it.
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
