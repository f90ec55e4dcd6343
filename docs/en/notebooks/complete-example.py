# %% [markdown]
# # A complete example: one layer of self-attention { #complete-example }
#
# You have met all the parts: the formula, its code, and training. Here they become one real layer of self-attention, 216 numbers that are random at first. We run the plain example through it, and then teach it something one can check, to **give back the word before**, and watch its attention matrix turn into what we would have drawn.
#
# <!-- numbers: sum(p.numel() for p in layer.parameters()) -->
#
# !!! question "Guess first"
#
#     Four words stand in a row, and each has to say which word stands before it. When the layer has learned this, which cells of its attention matrix will be the darkest?
#
#     - the diagonal, where each word looks at itself
#     - the cells one step to the left of the diagonal, where each word looks at the one before
#     - none in particular, since any word may be of use
#
# To follow along on your own machine, install `attn` (PyTorch comes with it):
#
# ```console
# pip install {{ wheel }}
# ```
#
# ## The whole source of the layer { #source }
#
# This is the code in `attn` that really runs:
#
# <!-- source: SelfAttention -->
#
# How many numbers a word has is called `d_model` in code. An `nn.Linear` is a matrix and a bias, with the parameters inside, so the three of them are $W_q$, $W_k$ and $W_v$; `nn.Module` lets PyTorch know where the parameters are. The lines `scores` and `weights` are $QK^\top/\sqrt{d_k}$ and softmax, and the last one mixes $V$ by the weights. `check_input` only says clearly what is wrong when the input doesn't fit.
#
# ## Forward and backward { #forward-backward }
#
# The plainest data first: 4 rows of 8 random numbers, as if they were the embeddings (the word vectors) of 4 words, with an **embedding dimension** of 8. The target is random, too. It means nothing and is only there to have a loss, the **mean squared error**: the squared differences between output and target, averaged. A **random seed** is set first, so that every run gives the same numbers (on another machine the last digits may differ; another version of PyTorch may also draw other random numbers, and then all digits differ).

# %%
import torch
import torch.nn.functional as F

from attn import SelfAttention, attention_weights

torch.manual_seed(42)
x = torch.randn(4, 8)                  # 4 words, 8 numbers each
layer = SelfAttention(d_model=8)
output = layer(x)

target = torch.randn_like(output)      # a made-up target
loss = F.mse_loss(output, target)
loss.backward()                        # backpropagation finds the gradients

print("input shape: ", tuple(x.shape))
print("output shape:", tuple(output.shape))
print(f"loss: {loss.item():.4f}")

# %% [markdown]
# <!-- prints:
# input shape:  (4, 8)
# output shape: (4, 8)
# loss: 0.8152
# -->
#
# The output has the shape of the input, because each word got a new vector as long as its old one, with its context mixed in. The loss is 0.8152. So far that was one pass forward and the **backpropagation**: six tensors of parameters, three matrices and three biases, have gradients, and not one has moved. That takes a step of an optimizer.
#
# <!-- numbers: loss.item() -->
#
# ## Teach it something one can check { #train }
#
# To learn a random target means nothing. Here is one that does. A sentence has 4 words of 8 numbers, of which the first 4 are the word itself and the last 4 its seat: a 3 at the place of the seat, and 0 elsewhere. The task is to give back the word before. The first word, which has none before it, gives back itself:

# %%
def sentences(count):
    words = torch.randn(count, 4, 4)                     # new words each time
    seats = 3 * torch.eye(4).expand(count, 4, 4)
    previous = words[:, [0, 0, 1, 2]]
    return torch.cat([words, seats], dim=-1), previous


def exam(model):
    x, previous = sentences(1000)                        # sentences never seen
    return (model(x)[..., :4] - previous).square().mean(dim=(0, 2)).detach()


def train(model):
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    for _ in range(500):
        x, previous = sentences(64)
        loss = F.mse_loss(model(x)[..., :4], previous)   # the first 4 numbers of the output
        optimizer.zero_grad()                            # forget the old gradients
        loss.backward()
        optimizer.step()


def look(model):
    x, _ = sentences(1)
    return attention_weights(model.W_q(x), model.W_k(x))[0].detach()


torch.manual_seed(42)
layer = SelfAttention(d_model=8)
before = look(layer)
print("errors of the four words before:", exam(layer).round(decimals=1))
train(layer)
after = look(layer)
print("errors of the four words after: ", exam(layer).round(decimals=1))

# %% [markdown]
# <!-- prints:
# errors of the four words before: tensor([1.2000, 1.1000, 1.2000, 1.2000])
# errors of the four words after:  tensor([0., 0., 0., 0.])
# -->
#
# A few seconds at most, and on sentences that it has never seen it makes hardly an error. Look at its attention matrix then and now:
#
# ```figure module="compared"
# title: The attention matrix before and after training
# description: On the left, before training, sixteen cells of varying depth without a pattern. On the right, after training, the first row has a one in its first cell, the second row in its first, the third in its second, the fourth in its third, and all else is zero.
# caption: On the left, random parameters made it, and there is nothing to see in it. On the right each word looks only at the one before, and the first at itself.
# corner: who looks
# rows: [one, two, three, four]
# names: [before training, after training]
# weights: [[[0.32, 0.18, 0.31, 0.19], [0.10, 0.11, 0.40, 0.39], [0.32, 0.26, 0.27, 0.15], [0.29, 0.36, 0.12, 0.23]], [[1, 0, 0, 0], [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]]]
# ```
#
# <!-- numbers: before.round(decimals=2); after.round(decimals=2) -->
#
# Nobody told it where to look. We only said what the answer was, and the answer was to be had from the word before and nowhere else. So the gradient pushed $W_q$ and $W_k$, step by step, until the query of each seat matched the key of the seat before.
#
# ## Is it really the looking? { #rival }
#
# Could one do without, and guess well enough from a word's own 8 numbers? Let a rival try. It is an ordinary network of two layers with more parameters than ours, but it sees one word at a time. All else is the same:

# %%
torch.manual_seed(42)
alone = torch.nn.Sequential(torch.nn.Linear(8, 64), torch.nn.ReLU(), torch.nn.Linear(64, 8))
train(alone)
print("errors of four words that see only themselves:", exam(alone).round(decimals=1))

# %% [markdown]
# <!-- prints:
# errors of four words that see only themselves: tensor([0., 1., 1., 1.])
# -->
#
# It gets the first word right, whose answer is the word itself. The answers of the three others are in somebody else's hands, and as the words are random it can do no better than guess 0. The mean square of these random numbers is 1, and so is the error. This task can't be done without looking.
#
# But don't think too highly of the layer. It looks at seats, not at words, so with another sentence its matrix is nearly the same. A model that looks at both is waiting [at the end of this path](next-word.py).
#
# ## Equal to the formula, bit for bit { #bit-for-bit }
#
# Last, spell the formula out with the trained layer's own parameters, and subtract its output. The largest difference is 0, so the two are not just close; they are the same in every bit:

# %%
x, previous = sentences(1)
Q, K, V = layer.W_q(x), layer.W_k(x), layer.W_v(x)
scores = Q @ K.transpose(-2, -1) / K.size(-1) ** 0.5
weights = F.softmax(scores, dim=-1)
print((weights @ V - layer(x)).abs().max().item())

# %% [markdown]
# <!-- prints:
# 0.0
# -->
#
# !!! note "What this page simplifies"
#
#     The formula's three matrices have no bias. `nn.Linear` has one unless told otherwise, and so does this layer. It has a single head, so $d_k$ is `d_model`; with [several heads](../deeper/multi-head.md) each gets a part. There are other ways to tell a word its seat; see [order](../deeper/order.md).
#
# ## In short { #in-short }
#
# Three linear layers make $Q$, $K$ and $V$ of the word vectors, the formula gives the output, the loss says how wrong it is, backpropagation finds the gradients, and an optimizer moves the parameters. If the answer stands with another word, a few hundred such steps teach attention to look there.
#
# ## Exercises { #exercises }
#
# **Exercise 1.** Can this layer take 9 words? Must its parameters change? And does it still give back the word before?
#
# ??? success "Answer"
#
#     It can, and they needn't: the three matrices work on each word, however many there are, and only the matrix of weights grows, to 9 rows and 9 columns. But the layer knows four seats. From the fifth word on there is no seat, and no telling which word came before.
#
#     ```pycon
#     >>> layer(torch.randn(9, 8)).shape
#     torch.Size([9, 8])
#     ```
#
# **Exercise 2.** How many parameters has this layer, with `d_model=8`? Work it out before you look.
#
# ??? success "Answer"
#
#     Three linear layers of $8 \times 8 + 8 = 72$ each, $3 \times 72 = 216$ in all.
#
#     <!-- numbers: layer.W_q.weight.shape; layer.W_q.bias.numel(); each; total // each; each; total -->
#
#     ```pycon
#     >>> each = sum(p.numel() for p in layer.W_q.parameters())
#     >>> total = sum(p.numel() for p in layer.parameters())
#     >>> each, total
#     (72, 216)
#     ```
#
# **Exercise 3.** Take the seats away, by making the last 4 numbers 0, and train again. Can it still learn? Give a reason before you try.
#
# ??? success "Answer"
#
#     It can't. Without seats a sentence is a heap of words, the same in any order, and "the one before" means nothing. The four errors add up to about 3, no better than the rival that sees only itself.
#
#     ```pycon
#     >>> seated = sentences
#     >>> def sentences(count):
#     ...     x, previous = seated(count)
#     ...     return torch.cat([x[..., :4], 0 * x[..., 4:]], dim=-1), previous
#     ...
#     >>> _ = torch.manual_seed(42)
#     >>> lost = SelfAttention(d_model=8)
#     >>> train(lost)
#     >>> print(f"{exam(lost).sum():.0f}")
#     3
#     ```
#
# Next: [what the root is for](../why-scale.md).
