# %% [markdown]
# # 完整示例：一层自注意力 { #complete-example }
#
# 零件都见过了：公式、代码、训练。这一页把它们装成一层真的自注意力，一共216个数，从随机数开始。先跑一遍原样的小例子，再让它学一件说得清的事，**把前一个词交还出来**，看它的注意力矩阵怎样一步步变成我们想要的样子。
#
# <!-- numbers: sum(p.numel() for p in layer.parameters()) -->
#
# !!! question "先猜一猜"
#
#     四个词排成一排，每个词都要说出它前面那个词是什么。等这一层学会了，它的注意力矩阵里，颜色最深的会是哪些格子？
#
#     - 对角线，每个词看自己
#     - 对角线的左下一格，每个词看前一个
#     - 每一行都差不多深，因为谁都可能有用
#
# 在自己的机器上跟着做，先装上`attn`（PyTorch会一起装上）：
#
# ```console
# pip install {{ wheel }}
# ```
#
# ## 这一层的全部源码 { #source }
#
# 下面就是`attn`里真正在运行的代码：
#
# <!-- source: SelfAttention -->
#
# 一个词有多少个数，在代码里叫`d_model`。`nn.Linear`就是一个矩阵加一个偏置，参数由它保管，所以三行`nn.Linear`生成的正是$W_q$、$W_k$和$W_v$；`nn.Module`让PyTorch知道参数都在哪里。`scores`和`weights`两行是公式里的$QK^\top/\sqrt{d_k}$和softmax，最后一行按权重混合$V$。`check_input`只负责在输入不合要求时说清楚哪里不对。
#
# ## 前向与反向 { #forward-backward }
#
# 先用最简单的数据，4行8列的随机数，就当是4个词的嵌入（embedding，也就是词向量），**嵌入维度**是8。目标也是随机的，谈不上意义，只为了有个损失可算；损失用**均方误差**，就是每个数错了多少，平方以后求平均。开头定下**随机种子**，所以每次运行都得到同样的数（换一台机器，最后几位可能不同；换一个PyTorch版本，随机数本身也可能不同，那就每一位都不同了）。

# %%
import torch
import torch.nn.functional as F

from attn import SelfAttention, attention_weights

torch.manual_seed(42)
x = torch.randn(4, 8)                  # 4 个词，每个 8 维
layer = SelfAttention(d_model=8)
output = layer(x)

target = torch.randn_like(output)      # 假目标
loss = F.mse_loss(output, target)
loss.backward()                        # 反向传播，算出梯度

print("输入形状：", tuple(x.shape))
print("输出形状：", tuple(output.shape))
print(f"Loss：{loss.item():.4f}")

# %% [markdown]
# <!-- prints:
# 输入形状： (4, 8)
# 输出形状： (4, 8)
# Loss：0.8152
# -->
#
# 输出与输入同形，因为每个词换来一个同样长的新向量，里面融合了上下文。损失是0.8152。到这里只走了前向和**反向传播**：六个参数张量（三个矩阵、三个偏置）都有了梯度，可是一个也没有动，要等优化器走一步才动。
#
# <!-- numbers: loss.item() -->
#
# ## 让它学一件说得清的事 { #train }
#
# 随机的目标学会了也没有意义。换一个有意义的：一句话4个词，每个词还是8个数，前4个是词本身，后4个是它的座位号，第几个座位，第几个数就是3，其余是0。任务是交还前一个词，第一个词前面没有词，就交还自己：

# %%
def sentences(count):
    words = torch.randn(count, 4, 4)                     # 每次都是新的词
    seats = 3 * torch.eye(4).expand(count, 4, 4)
    previous = words[:, [0, 0, 1, 2]]
    return torch.cat([words, seats], dim=-1), previous


def exam(model):
    x, previous = sentences(1000)                        # 没见过的句子
    return (model(x)[..., :4] - previous).square().mean(dim=(0, 2)).detach()


def train(model):
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    for _ in range(500):
        x, previous = sentences(64)
        loss = F.mse_loss(model(x)[..., :4], previous)   # 只看输出的前 4 个数
        optimizer.zero_grad()                            # 旧的梯度清掉
        loss.backward()
        optimizer.step()


def look(model):
    x, _ = sentences(1)
    return attention_weights(model.W_q(x), model.W_k(x))[0].detach()


torch.manual_seed(42)
layer = SelfAttention(d_model=8)
before = look(layer)
print("训练前，四个词各错多少：", exam(layer).round(decimals=1))
train(layer)
after = look(layer)
print("训练后，四个词各错多少：", exam(layer).round(decimals=1))

# %% [markdown]
# <!-- prints:
# 训练前，四个词各错多少： tensor([1.2000, 1.1000, 1.2000, 1.2000])
# 训练后，四个词各错多少： tensor([0., 0., 0., 0.])
# -->
#
# 不到几秒钟，它在从没见过的句子上几乎不再出错。看看两张注意力矩阵：
#
# ```figure module="compared"
# title: 训练前后的注意力矩阵
# description: 左边是训练前，十六格深浅不一，没有规律。右边是训练后，第一行第一格、第二行第一格、第三行第二格、第四行第三格是一，其余都是零。
# caption: 左边是随机参数给出的，看不出名堂。右边每个词都只看前一个，第一个词看自己。
# corner: 谁在看
# rows: [词一, 词二, 词三, 词四]
# names: [训练前, 训练后]
# weights: [[[0.32, 0.18, 0.31, 0.19], [0.10, 0.11, 0.40, 0.39], [0.32, 0.26, 0.27, 0.15], [0.29, 0.36, 0.12, 0.23]], [[1, 0, 0, 0], [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]]]
# ```
#
# <!-- numbers: before.round(decimals=2); after.round(decimals=2) -->
#
# 没有人告诉它该看哪里。我们只说了答案是什么，答案只能从前一个词那里拿到，于是梯度把$W_q$和$W_k$一步步推到这样：每个座位的查询，恰好和前一个座位的键合拍。
#
# ## 真的靠看吗 { #rival }
#
# 会不会根本不用看，光凭自己那8个数也能猜个差不多？找一个对手来试。它是一个普通的两层网络，参数比这一层还多，但一次只见一个词，其余一切照旧：

# %%
torch.manual_seed(42)
alone = torch.nn.Sequential(torch.nn.Linear(8, 64), torch.nn.ReLU(), torch.nn.Linear(64, 8))
train(alone)
print("只看自己，四个词各错多少：", exam(alone).round(decimals=1))

# %% [markdown]
# <!-- prints:
# 只看自己，四个词各错多少： tensor([0., 1., 1., 1.])
# -->
#
# 它只答对了第一个词，因为那个词的答案就是自己。后面三个词的答案在别人手里，词又是随机的，它最好的办法就是都猜0，而随机数的平方平均是1，所以各错1。这道题非看别人不可。
#
# 也别把这一层想得太聪明。它看的是座位，不是词，所以换一句话，矩阵几乎还是同一张。既看词又看位置的模型，在[这条路的尽头](next-word.py)。
#
# ## 和公式逐位相等 { #bit-for-bit }
#
# 最后把公式摊开，用学好的这一层自己的权重再算一遍，和它的输出相减。相差最多的地方也是0，所以不是接近，而是每一位都相同：

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
# !!! note "这里简化了什么"
#
#     公式里的三个矩阵没有偏置，`nn.Linear`默认带一个，这里照用。只有一个头，所以$d_k$就是`d_model`；[多头](../deeper/multi-head.md)时每个头只分到一份。座位号怎样给词，办法不止一种，见[词序](../deeper/order.md)。
#
# ## 小结 { #in-short }
#
# 三个线性层从词向量生成$Q$、$K$、$V$，公式算出输出，损失说错了多少，反向传播给出梯度，优化器挪动参数。只要答案在别的词那里，走上几百步，注意力就学会了去那里看。
#
# ## 练习 { #exercises }
#
# **练习1.** 同一层能不能处理9个词？参数要不要改？它还会交还前一个词吗？
#
# ??? success "答案"
#
#     能跑，参数不用改，因为三个矩阵作用在每个词上，与句子长度无关；变的是权重矩阵，它成了9行9列。可是它只认识四个座位，第五个词往后没有座位号，也就不知道前一个是谁了。
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
# **练习3.** 把座位号去掉（后4个数全换成0），再训练一遍。它还学得会吗？先说理由，再试。
#
# ??? success "答案"
#
#     学不会。没有座位号，一句话就只是一堆词，打乱了也一样，「前一个」无从说起。四个词一共还是错3上下，并不比只看自己的对手强。
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
# 下一页：[那个根号是干什么的](../why-scale.md)。
