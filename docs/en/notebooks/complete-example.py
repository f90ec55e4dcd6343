# %% [markdown]
# # A complete example: one layer of self-attention { #complete-example }
#
# You have met the formula, the matrix and the code. What happens when one whole layer runs from start to finish?
#
# **In one line**: three linear layers turn the input into $Q$, $K$ and $V$, the formula gives the output, and **backpropagation** leads from the loss back to every parameter; a few hundred rounds of training, and the loss falls.
#
# To follow along on your own machine, install `attn` (PyTorch comes with it):
#
# ```console
# pip install {{ wheel }}
# ```
#
# !!! question "Guess first"
#
#     The input is 4 words of 8 numbers each. What shape will the output have? And once the backward pass is done, have the parameters changed?
#
# ## The whole source of the layer { #source }
#
# This is the code in `attn` that really runs:
#
# <!-- source: SelfAttention -->
#
# `W_q`, `W_k` and `W_v` make the queries, keys and values; the lines `scores` and `weights` are $QK^\top/\sqrt{d_k}$ and softmax; the last step mixes $V$ by the weights. `check_input` only says clearly what is wrong when the input doesn't fit.
#
# ## Forward and backward { #forward-backward }
#
# Some made-up data: 4 positions with a vector of 8 numbers each, as if they were the embeddings of 4 words with an **embedding dimension** of 8. A **random seed** is set first, so that every run gives the same numbers (on another machine the last digits may differ; another version of PyTorch may also draw other random numbers, and then all digits differ). The target is made up too, and the mean squared error will do as a loss.

# %%
import torch
import torch.nn.functional as F

from attn import SelfAttention

torch.manual_seed(42)
x = torch.randn(4, 8)                  # 4 words, 8 numbers each
layer = SelfAttention(d_model=8)
before = [p.detach().clone() for p in layer.parameters()]

output = layer(x)
target = torch.randn_like(output)      # a made-up target
first_loss = F.mse_loss(output, target)
first_loss.backward()

print("input shape: ", tuple(x.shape))
print("output shape:", tuple(output.shape))
print(f"loss: {first_loss.item():.4f}")

# %% [markdown]
# <!-- prints:
# input shape:  (4, 8)
# output shape: (4, 8)
# loss: 0.8152
# -->
#
# The output has the shape of the input: each word got a new vector, with its context mixed in. The loss is 0.8152.
#
# <!-- numbers: first_loss.item() -->
#
# So far that was one pass forward and one back: there are gradients, and no parameter has moved. The three linear layers hold a weight matrix and a bias each, six tensors in all:

# %%
after = list(layer.parameters())
print(len(after))
print(all(p.grad is not None for p in after))                              # there are gradients
print(all(torch.equal(p, q) for p, q in zip(before, after, strict=True)))  # nothing has moved

# %% [markdown]
# <!-- prints:
# 6
# True
# True
# -->
#
# ## Really train it { #train }
#
# Only a step of the optimizer moves the parameters, by the gradients it has seen: those of this step and, with Adam, those of earlier steps, too. Take 300 of them and watch the loss:
#
# <!-- numbers: len(losses) -->

# %%
optimizer = torch.optim.Adam(layer.parameters(), lr=0.01)
losses = []
for _ in range(300):
    optimizer.zero_grad()
    loss = F.mse_loss(layer(x), target)
    loss.backward()
    optimizer.step()
    losses.append(loss.item())

print(losses[0] == first_loss.item())        # it starts from the loss above
print(losses[-1] < losses[0] / 100)          # and falls below a hundredth of it
print(any(torch.equal(p, q) for p, q in zip(before, layer.parameters(), strict=True)))

# %% [markdown]
# <!-- prints:
# True
# True
# False
# -->
#
# The last line says False: all six tensors have changed. (The bias of the keys moves by rounding alone: mathematically its gradient is 0, see [order](../deeper/order.md#rope). But Adam makes steps one can see even of gradients that small.) The loss fell below a hundredth of where it began, because learning 4 random targets by heart for 4 words is easy with some 200 parameters. That is overfitting; here it only shows that the gradient points the right way.
#
# ## Equal to the formula, bit for bit { #bit-for-bit }
#
# Spell the formula out with the layer's own weights. The two results are not just close; they are the same in every bit:

# %%
Q, K, V = layer.W_q(x), layer.W_k(x), layer.W_v(x)
d_k = K.size(-1)
scores = Q @ K.transpose(-2, -1) / d_k**0.5
weights = F.softmax(scores, dim=-1)
print(torch.equal(weights @ V, layer(x)))
print(weights.shape, weights.sum(dim=-1).allclose(torch.ones(4)))

# %% [markdown]
# <!-- prints:
# True
# torch.Size([4, 4]) True
# -->
#
# !!! note "What this page simplifies"
#
#     The matrices of the formula have no bias; `nn.Linear` adds one, and it stays here. There is one head, so $d_k$ equals `d_model`; with [several heads](../deeper/multi-head.md) each gets a share. The made-up target gives us a loss but stands for no task in language: to see a layer learn to tell the two kinds of apple apart, go to the [apple lab](apple.py).
#
# ## Exercises { #exercises }
#
# **Exercise 1.** Can the same layer take 9 words? Do its parameters have to change?
#
# ??? success "Answer"
#
#     Yes, and no. The three matrices act on each word and don't care how long the sentence is; what changes is the matrix of weights, which becomes 9 by 9.
#
#     ```pycon
#     >>> layer(torch.randn(9, 8)).shape
#     torch.Size([9, 8])
#     ```
#
# **Exercise 2.** How many parameters does this layer have, with `d_model=8`? Work it out before you look.
#
# ??? success "Answer"
#
#     Three linear layers of $8 \times 8 + 8 = 72$ each, $3 \times 72 = 216$ together.
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
# Next: [what the root is for](../why-scale.md).
