# %% [markdown]
# # 完整示例：一层自注意力 { #complete-example }
#
# 公式、矩阵、代码都见过了。一层自注意力从头到尾跑一遍，是什么样子？
#
# **一句话回答**：三个线性层把输入变成$Q$、$K$、$V$，公式算出输出，损失反向传播；这样训练几百轮，损失就降下来了。
#
# 在自己的机器上跟着做，先装上`attn`（PyTorch会一起装上）：
#
# ```console
# pip install {{ wheel }}
# ```
#
# !!! question "先猜一猜"
#
#     输入是4个词，每个词8维。输出会是什么形状？反向传播之后，参数变了没有？
#
# ## 这一层的全部源码 { #source }
#
# 下面就是`attn`里真正在运行的代码：
#
# <!-- source: SelfAttention -->
#
# `W_q`、`W_k`、`W_v`分别生成查询、键和值；`scores`和`weights`两行就是公式里的$QK^\top/\sqrt{d_k}$和softmax；最后一行按权重混合$V$。`check_input`只负责在输入不合要求时说清楚哪里不对。
#
# ## 前向与反向 { #forward-backward }
#
# 数据是随手造的：4行8列的随机数，就当是4个词的嵌入（embedding，也就是词向量），**嵌入维度**是8。目标也是随机的。开头先定下**随机种子**，所以每次运行都得到同样的数（换一台机器，最后几位可能不同；换一个PyTorch版本，随机数本身也可能不同，那就每一位都不同了）。损失说的是输出离目标有多远，这里用均方误差来量。

# %%
import torch
import torch.nn.functional as F

from attn import SelfAttention

torch.manual_seed(42)
x = torch.randn(4, 8)                  # 4 个词，每个 8 维
layer = SelfAttention(d_model=8)
before = [p.detach().clone() for p in layer.parameters()]

output = layer(x)
target = torch.randn_like(output)      # 假目标
first_loss = F.mse_loss(output, target)
first_loss.backward()

print("输入形状：", tuple(x.shape))
print("输出形状：", tuple(output.shape))
print(f"Loss：{first_loss.item():.4f}")

# %% [markdown]
# <!-- prints:
# 输入形状： (4, 8)
# 输出形状： (4, 8)
# Loss：0.8152
# -->
#
# 输出与输入同形：每个词换来一个融合了上下文的新向量。损失是0.8152。
#
# <!-- numbers: first_loss.item() -->
#
# 到这里只走了前向和反向：梯度有了，参数还没动过。三个线性层各有一个权重矩阵和一个偏置，一共六个张量：

# %%
after = list(layer.parameters())
print(len(after))
print(all(p.grad is not None for p in after))                              # 梯度都有了
print(all(torch.equal(p, q) for p, q in zip(before, after, strict=True)))  # 参数一个没动

# %% [markdown]
# <!-- prints:
# 6
# True
# True
# -->
#
# ## 真的训练几步 { #train }
#
# 优化器每走一步，才按梯度挪动一次参数（Adam连前面几步的梯度也一起算）。走300步，看损失怎么变：
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

print(losses[0] == first_loss.item())        # 从刚才的损失出发
print(losses[-1] < losses[0] / 100)          # 降到不足百分之一
print(any(torch.equal(p, q) for p, q in zip(before, layer.parameters(), strict=True)))

# %% [markdown]
# <!-- prints:
# True
# True
# False
# -->
#
# 最后一行是False：六个张量全都变了。（键的偏置只是被舍入误差推着走：数学上它的梯度是0，见[词序](../deeper/order.md#rope)。不过梯度再小，Adam也能迈出看得见的步子。）损失降到了开头的百分之一以下，因为让4个词记住4个随机目标，对200多个参数来说毫不费力。这叫过拟合；在这里，它只说明梯度指对了方向。
#
# ## 和公式逐位相等 { #bit-for-bit }
#
# 把公式摊开，用这一层自己的权重再算一遍。两个结果不是接近，而是每一位都相同：

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
# !!! note "这里简化了什么"
#
#     公式里的三个矩阵没有偏置，`nn.Linear`默认带一个，这里照用。只有一个头，所以$d_k$就是`d_model`；[多头](../deeper/multi-head.md)时每个头只分到一份。假目标让损失能算，但不代表任何语言任务：真的学会分辨「苹果」，请看[苹果实验](apple.py)。
#
# ## 练习 { #exercises }
#
# **练习1.** 同一层能不能处理9个词？参数要不要改？
#
# ??? success "答案"
#
#     能，不用改。三个矩阵作用在每个词上，与句子长度无关；变的是权重矩阵，它成了9行9列。
#
#     ```pycon
#     >>> layer(torch.randn(9, 8)).shape
#     torch.Size([9, 8])
#     ```
#
# **练习2.** `d_model=8`的这一层一共有多少个参数？先算，再对答案。
#
# ??? success "答案"
#
#     三个线性层，每个$8 \times 8 + 8 = 72$，一共$3 \times 72 = 216$。
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
# 下一页：[那个根号是干什么的](../why-scale.md)。
