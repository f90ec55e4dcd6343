"""Tells a learner, property by property, what was found of an attention function of their own.

Each property is tried on a few small random inputs whose sizes all differ. A property that passes was not seen to fail,
which is less than a proof.
"""

import inspect
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from attn.functional import attention

# What is examined: (name of the property, en, zh).
PROPERTIES = {
    "shape": ("the output is (…, n, d_v)", "输出的形状是 (…, n, d_v)"),
    "rows": ("the weights of each query sum to 1", "每个查询的注意力权重之和为 1"),
    "scale": ("the weights are softmax(QKᵀ/√d_k)", "注意力权重等于 softmax(QKᵀ/√d_k)"),
    "mix": ("the output is weights · V", "输出等于注意力权重乘以 V"),
    "order": ("the order of the keys does not matter", "打乱键和值的顺序，输出不变"),
    "large": ("large scores do not overflow", "分数很大时不溢出"),
    "batch": ("leading dimensions do not mix", "前面的各维互不相干"),
    "heads": ("each head works on its own part of Q, K and V", "每个头只处理 Q、K、V 中属于它的那一段"),
    "mask": ("a query looks exactly where mask is True", "掩码为 True 的位置看得见，其余看不见"),
    "causal": ("no word sees a later one, each sees itself", "看不见后面的词，但看得见自己"),
    "half": ("float16 gives about the same", "float16 下结果也差不多"),
    "again": ("the same inputs give the same output, and stay as they are", "同样的输入得到同样的输出，输入本身不变"),
}
# What probably went wrong: (name of the mistake, en, zh).
MISTAKES = {
    "raised": ("it raised {error}", "运行时报错：{error}"),
    "wrong_shape": ("it is {came}, should be {want}", "得到的是 {came}，应该是 {want}"),
    "softmax_over_queries": (
        "they sum to 1 over the queries: softmax belongs over the keys, dim=-1",
        "现在是每一列之和为 1：softmax 应该沿着键的方向，也就是 dim=-1",
    ),
    "no_softmax": ("they do not sum to 1: softmax over the keys is missing", "权重之和不为 1：少了沿键方向的 softmax"),
    "scaling_by_a_constant": (
        "the scores are divided by the same number whatever d_k is: take √d_k from the size of K",
        "不管 d_k 是多少，分数都除以同一个数：√d_k 应该取自 K 的大小",
    ),
    "scaling_by_d_v": (
        "the scores are divided by √d_v: d_k is the size of a key, not of a value",
        "分数除以了 √d_v：d_k 是键的大小，不是值的大小",
    ),
    "scaling_by_length": (
        "the scores are divided by the root of a number of words: d_k is the size of a key",
        "分数除以了词数的平方根：d_k 是键的大小",
    ),
    "no_scaling": ("the scores are not divided by √d_k", "分数没有除以 √d_k"),
    "scaling_by_d_k": ("the scores are divided by d_k, not by its root", "分数除以了 d_k，而不是它的平方根"),
    "scaling_upside_down": ("the scores are multiplied by √d_k, not divided", "分数乘以了 √d_k，应该是除以"),
    "scaling_by_d_model": (
        "the scores are divided by √d_model: d_k is the size of one head, d_model / h",
        "分数除以了 √d_model：d_k 是一个头的大小，即 d_model / h",
    ),
    "other_weights": ("they are something else: compare the scores QKᵀ first", "权重对不上：先检查分数 QKᵀ"),
    "values_inside_softmax": (
        "V is inside the softmax: it belongs outside, on the right",
        "V 放进了 softmax：它应该在外面、右边",
    ),
    "other_mix": ("it is not: multiply the weights by V, on the right", "对不上：应该是注意力权重乘以 V，V 在右边"),
    "order_matters": ("it does: keys and values are paired wrongly", "顺序有影响：键和值没有一一对应"),
    "overflow": (
        "exp overflows: use torch.softmax, or subtract each row's largest score first",
        "exp 溢出了：用 torch.softmax，或者先减去每行的最大分数",
    ),
    "underflow": (
        "a row of low scores is lost: subtract each row's own largest score, not the largest of all",
        "分数整行都很低时结果丢了：应该减去每行自己的最大分数，不是全体的最大分数",
    ),
    "cut_off": ("large scores are cut off: they may differ as much as they like", "大分数被截断了：分数相差多少都可以"),
    "batch_mixed": (
        "one sample changes another: softmax and products belong in the last two dimensions",
        "样本之间互相影响：softmax 和乘法都只应涉及最后两维",
    ),
    "no_batch": (
        "fine so far; note that it takes no leading dimensions: K.transpose(-2, -1) would, K.T does not",
        "没有问题；但它不支持前面的维度：K.transpose(-2, -1) 可以，K.T 不行",
    ),
    "heads_split_by_view": (
        "the heads are split by view alone: first (b, n, h, d_k), then swap n and h",
        "只用 view 拆分了头：应该先变成 (b, n, h, d_k)，再交换 n 和 h",
    ),
    "heads_merged_by_view": (
        "the heads are merged by view alone: first swap h and n back, then flatten",
        "只用 view 合并了头：应该先把 h 和 n 换回来，再展平",
    ),
    "other_heads": ("the output is something else: compare one head at a time", "输出对不上：一个头一个头地比较"),
    "mask_ignored": ("the mask has no effect", "掩码没有起作用"),
    "inverted_mask": ("it looks exactly where mask is False: use ~mask", "恰好反了，看的是 False 的位置：应该用 ~mask"),
    "masked_after_softmax": (
        "the weights left do not sum to 1: hide scores before softmax, not weights after it",
        "剩下的权重之和不为 1：应该在 softmax 之前屏蔽分数，而不是之后屏蔽权重",
    ),
    "masked_scores_zero": (
        "hidden keys keep some weight: a score of 0 counts e⁰ = 1; fill with finfo.min",
        "屏蔽的位置仍有权重：分数 0 还有 e⁰ = 1；应该填 finfo.min",
    ),
    "filled_too_high": (
        "where all other scores are low, hidden keys come back: fill with torch.finfo(scores.dtype).min",
        "其余分数都很低时，屏蔽的位置又看得见了：应该填 torch.finfo(scores.dtype).min",
    ),
    "mask_turned": ("a square mask is read with rows and columns exchanged", "方形的掩码行列读反了"),
    "mask_of_another": (
        "each sample needs its own mask, and one gets another's",
        "每个样本应该用自己的掩码，现在用了别的样本的",
    ),
    "causal_ignored": ("causal has no effect", "causal 没有起作用"),
    "inverted_causal": (
        "each word sees the later ones: the triangle is the wrong one",
        "看到的恰好是后面的词：三角取反了",
    ),
    "hidden_diagonal": ("no word sees itself: triu(1), not triu(0)", "看不见自己：应该是 triu(1)，不是 triu(0)"),
    "first_lined_up": (
        "with fewer queries than keys the first query is lined up with the first key: it should be last with last",
        "查询比键少时，现在是第一个查询对齐第一个键：应该是最后一个对齐最后一个",
    ),
    "mask_lost": ("with causal the mask has no effect", "有 causal 时掩码不起作用"),
    "causal_square": (
        "fine so far; note that it takes no fewer queries than keys, which a cache needs",
        "没有问题；但查询不能比键少，用缓存时却需要",
    ),
    "other_triangle": ("it sees others than the words up to its own", "看到的不是「自己和前面的词」"),
    "minus_1e9": (
        "-1e9 does not fit in float16, which ends at 65504: use torch.finfo(scores.dtype).min",
        "-1e9 超出了 float16 的范围（最大 65504）：用 torch.finfo(scores.dtype).min",
    ),
    "half_wrong": (
        "the numbers are off: is a float32 constant inside, or an overflow?",
        "数值不对：是否混入了 float32 常量，或者溢出了？",
    ),
    "other_dtype": ("it is {came} for inputs of {want}", "得到的是 {came}，而输入是 {want}"),
    "input_changed": ("it writes into its inputs: use / instead of /=", "它改写了输入：用 /，不要用 /="),
    "another_result": (
        "a second call gives something else: is there dropout, or something kept from the call before?",
        "再调用一次，结果就变了：是不是有 dropout，或者留下了上次的东西？",
    ),
    "empty_nan": (
        "fine so far; note that a query with nothing to look at gives NaN, in attn it gives 0",
        "没有问题；但什么都看不见的查询会得到 NaN，attn 里得到 0",
    ),
    "empty_mean": (
        "fine so far; note that a query with nothing to look at looks everywhere, in attn it gives 0",
        "没有问题；但什么都看不见的查询会平均地看所有位置，attn 里得到 0",
    ),
}
NEEDS = {"heads": "num_heads", "mask": "mask", "causal": "causal"}  # the keyword without which a property is not tried
NOT_TRIED = ("not tried: it takes no `{}`", "未检查：函数没有参数 `{}`")
NOT_RUN = ("not tried: it does not run", "未检查：函数没能运行")
TOTAL = ("{held} of {tried} checks found nothing wrong.", "检查了 {tried} 项，{held} 项没有发现问题。")
PLAIN = {"✓": "ok", "✗": "NO", "–": "-", "→": "->", "√": "sqrt ", "ᵀ": "^T", "⁰": "^0", "·": "*", "…": "..."}


@dataclass(frozen=True)
class Finding:
    """Whether one property holds (None: not tried), which mistakes were recognized, and both in words."""

    property: str
    holds: bool | None
    mistakes: tuple[str, ...]
    text: str
    remark: str

    def __str__(self) -> str:
        mark = {True: "✓", False: "✗", None: "–"}[self.holds]
        return printable(f"{mark} {self.text}" + (f"\n  → {self.remark}" if self.remark else ""))


@dataclass(frozen=True)
class Report:
    """What was found, property by property; print it."""

    findings: tuple[Finding, ...]
    language: str

    @property
    def passed(self) -> bool:
        return all(finding.holds is not False for finding in self.findings)

    @property
    def mistakes(self) -> list[str]:
        """The names of the mistakes, in the order in which they were found."""
        return list(dict.fromkeys(name for f in self.findings if f.holds is False for name in f.mistakes))

    def __str__(self) -> str:
        tried = [finding.holds for finding in self.findings if finding.holds is not None]
        total = TOTAL[self.language == "zh"].format(held=sum(tried), tried=len(tried))
        return "\n".join([*map(str, self.findings), printable(total)])


def printable(text: str) -> str:
    """The text, with signs that this console cannot print written in letters."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"

    def sign(character: str) -> str:
        try:
            character.encode(encoding)
        except UnicodeEncodeError:
            return PLAIN.get(character, "?")
        return character

    return "".join(map(sign, text))


class Mistake(Exception):
    """A property does not hold: the names of the likely mistakes, and what their sentences mention."""

    def __init__(self, *names: str, **values: object) -> None:
        super().__init__(*names)
        self.names, self.values = names, values


class Learner:
    """The learner's function, called with those keywords only that it has."""

    def __init__(self, fn: Callable[..., Tensor]) -> None:
        self.fn = fn
        try:
            parameters = inspect.signature(getattr(fn, "forward", fn)).parameters
        except ValueError:  # a function of torch's own
            parameters = inspect.signature(lambda Q, K, V: None).parameters
        keywords = list(parameters.values())[3:]
        self.keywords = {p.name for p in keywords}
        self.required = {p.name for p in keywords if p.default is inspect.Parameter.empty}
        self.lead: tuple[int, ...] = ()
        batched_only = self.fails(*data((), 3, 5)) and not self.fails(*data((1,), 3, 5))
        if "num_heads" in self.keywords or batched_only:
            self.lead = (1,)

    def __call__(self, Q: Tensor, K: Tensor, V: Tensor, **options: object) -> Tensor:
        return self.given(Q.clone(), K.clone(), V.clone(), **options)

    def given(self, Q: Tensor, K: Tensor, V: Tensor, **options: object) -> Tensor:
        """Called with these very tensors, which the function may change."""
        usual = {"num_heads": 1, "mask": self.mask(Q.size(-2), K.size(-2)), "causal": False}
        options = {name: usual[name] for name in self.required & set(usual)} | options
        try:
            with warnings.catch_warnings(action="ignore"):
                output = self.fn(Q, K, V, **options)
        except Exception as error:
            raise Mistake("raised", error=f"{type(error).__name__}: {error}") from error
        if not isinstance(output, Tensor) or output.shape != (*Q.shape[:-1], V.shape[-1]):
            want = (*Q.shape[:-1], V.shape[-1])
            came = tuple(output.shape) if isinstance(output, Tensor) else type(output).__name__
            raise Mistake("wrong_shape", came=came, want=want)
        return output.detach()

    def fails(self, *tensors: Tensor) -> bool:
        try:
            self(*tensors)
        except Mistake:
            return True
        return False

    def d_v(self, K: Tensor) -> int:
        """A size of values that differs from all others, or the only one that heads can be cut from."""
        return K.size(-1) if "num_heads" in self.keywords else K.size(-2) + 2

    def data(self, n: int, m: int, d: int = 8) -> tuple[Tensor, Tensor, Tensor]:
        Q, K, _ = data(self.lead, n, m, d=d)
        return Q, K, data(self.lead, n, m, self.d_v(K), d)[2]

    def mask(self, n: int, m: int) -> Tensor:
        """All True, of as many dimensions as the function's scores."""
        return torch.ones(*(1 for _ in self.lead), *((1,) if "num_heads" in self.keywords else ()), n, m).bool()

    def weights(self, Q: Tensor, K: Tensor, **options: object) -> Tensor:
        """The weights, read off by handing in the identity as values, with further columns of 0."""
        m, d_v = K.size(-2), self.d_v(K)
        V = torch.eye(m, d_v, dtype=Q.dtype).expand(*K.shape[:-2], m, d_v)
        output = self(Q, K, V, **options)
        if output[..., m:].abs().max() > 1e-3:  # a mean of zeros that is not zero
            raise Mistake("values_inside_softmax")
        return output[..., :m]


def check_attention(fn: Callable[..., Tensor], language: str = "en") -> Report:
    """Examines fn(Q, K, V) → (…, n, d_v), and its keywords `mask`, `causal` and `num_heads` where it has them.

    With `num_heads`, Q, K and V are (b, n, d_model) and fn cuts them into heads itself; its mask is (b, h, n, m).

    Args:
        fn: the function, or a module without parameters.
        language: "en" or "zh".

    >>> def mine(Q, K, V):
    ...     return torch.softmax(Q @ K.transpose(-2, -1), dim=-1) @ V
    >>> report = check_attention(mine)
    >>> report.passed, report.mistakes
    (False, ['no_scaling'])
    >>> print(report.findings[2])
    ✗ the weights are softmax(QKᵀ/√d_k)
      → the scores are not divided by √d_k
    """
    if not callable(fn):
        raise TypeError(f"fn must be a function of Q, K and V: it is {type(fn).__name__}")
    if language not in ("en", "zh"):
        raise ValueError(f"language must be 'en' or 'zh': it is {language!r}")
    return Report(tuple(examine(Learner(fn), language == "zh")), language)


def examine(learner: Learner, zh: bool) -> Iterator[Finding]:
    runs = True
    for name, texts in PROPERTIES.items():
        text, needed = texts[zh], NEEDS.get(name)
        if not runs:
            yield Finding(name, None, (), text, NOT_RUN[zh])
        elif needed is not None and needed not in learner.keywords:
            yield Finding(name, None, (), text, NOT_TRIED[zh].format(needed))
        else:
            try:
                note = PROBES[name](learner)
                yield Finding(name, True, (), text, MISTAKES[note][zh] if note else "")
            except Mistake as mistake:
                runs = name != "shape"
                sentences = [MISTAKES[m][zh].format(**mistake.values) for m in mistake.names]
                yield Finding(name, False, mistake.names, text, ("；" if zh else "; ").join(sentences))


def data(lead: tuple[int, ...], n: int, m: int, d_v: int = 8, d: int = 8) -> tuple[Tensor, Tensor, Tensor]:
    """The same Q, K and V each time; the global generator is left alone."""
    dice = torch.Generator().manual_seed(3)
    return tuple(torch.randn(*lead, *size, generator=dice) for size in ((n, d), (m, d), (m, d_v)))  # type: ignore[return-value]


def close(a: Tensor, b: Tensor, atol: float = 1e-5) -> bool:
    return bool(torch.allclose(a.float(), b.float(), rtol=0, atol=atol))


def shape(fn: Learner) -> None:
    for n, m in ((3, 5), (1, 5), (3, 1)):
        fn(*fn.data(n, m))


def rows(fn: Learner) -> None:
    Q, K, _ = fn.data(3, 5)
    weights = fn.weights(Q, K)
    if not close(weights.sum(-1), torch.ones(3)):
        raise Mistake("softmax_over_queries" if close(weights.sum(-2), torch.ones(5)) else "no_softmax")


def scale(fn: Learner) -> None:
    cases = []  # weights, products, and what the products may be multiplied by
    for n, m, d in ((3, 5, 8), (4, 6, 12)):
        Q, K, _ = fn.data(n, m, d)
        factors = {
            "": d**-0.5, "no_scaling": 1, "scaling_by_d_k": 1 / d, "scaling_upside_down": d**0.5,
            "scaling_by_d_v": fn.d_v(K) ** -0.5, "scaling_by_length": m**-0.5, "number of queries": n**-0.5,
        }
        cases.append((fn.weights(Q, K), Q @ K.transpose(-2, -1), factors))
    for name in cases[0][2]:
        if all(fits(weights, products * factors[name]) for weights, products, factors in cases):
            if name:
                raise Mistake("scaling_by_length" if " " in name else name)
            return
    constant = slope(*cases[0][:2])
    if all(fits(weights, products * constant) for weights, products, _ in cases):
        raise Mistake("scaling_by_a_constant")
    raise Mistake("other_weights")


def fits(weights: Tensor, scores: Tensor) -> bool:
    """Whether the weights come from these scores, whichever way softmax was taken."""
    return any(close(weights, guess) for guess in (scores.softmax(-1), scores.softmax(-2), scores))


def slope(weights: Tensor, products: Tensor) -> float:
    """What the products of the first query were multiplied by, if their softmax gave its weights."""
    gaps = products[..., 0, :2].flatten(), weights[..., 0, :2].clamp(min=1e-30).log().flatten()
    return float((gaps[1][0] - gaps[1][1]) / (gaps[0][0] - gaps[0][1]))


def mix(fn: Learner) -> None:
    Q, K, V = fn.data(3, 5)
    if not close(fn(Q, K, V), fn.weights(Q, K) @ V):
        raise Mistake("other_mix")
    Q, K, V = data(fn.lead, 5, 5)  # now all of one size
    if "num_heads" in fn.keywords:
        return
    all_eight, seven, six = (fn(Q, K, V[..., :d_v])[..., :6] for d_v in (8, 7, 6))
    if close(seven, six) and not close(all_eight, six):
        raise Mistake("other_mix")


def order(fn: Learner) -> None:
    Q, K, V = fn.data(3, 5)
    shuffled = [4, 2, 0, 1, 3]
    if not close(fn(Q, K[..., shuffled, :], V[..., shuffled, :]), fn(Q, K, V)):
        raise Mistake("order_matters")


def large(fn: Learner) -> None:
    Q, K, V = fn.data(3, 5)
    if not all(fn(Q[..., i : i + 1, :] * 1000, K, V).isfinite().all() for i in range(3)):
        raise Mistake("overflow")
    signs = torch.tensor([[1.0], [-1.0], [1.0]])
    if not fn(1000 * signs.expand_as(Q), K.abs() + 1, V).isfinite().all():  # the scores of the second row are low
        raise Mistake("underflow")
    weights = fn.weights(Q * 1e5, K)
    if close(fn.weights(Q, K).sum(-1), torch.ones(3)) and not close(weights.amax(-1), torch.ones(3)):
        raise Mistake("cut_off")


def batch(fn: Learner) -> str | None:
    Q, K, V = data((2,), 3, 5)
    if fn.fails(Q, K, V):
        return "no_batch"
    for i in range(2):
        one = (slice(i, i + 1) if fn.lead else i, ...)
        if not close(fn(Q, K, V)[one], fn(Q[one], K[one], V[one])):
            raise Mistake("batch_mixed")
    Q, K, V = data((2, 3), 3, 5)
    if "num_heads" not in fn.keywords and not fn.fails(Q, K, V):
        output = fn(Q, K, V)
        if close(output, attention(Q, K, V, scale=(3 * Q.size(-1)) ** -0.5)):  # three heads of d_k
            raise Mistake("scaling_by_d_model")
        if not close(output[:, 0], fn(Q[:, 0], K[:, 0], V[:, 0])):
            raise Mistake("batch_mixed")
    return None


def heads(fn: Learner) -> None:
    guesses = [
        (split, merge, name)
        for split in ("", "heads_split_by_view")
        for merge in ("", "heads_merged_by_view")
        for name in ("", "scaling_by_d_model", "no_scaling")
    ]
    cases = [(h, data((2,), 3, 5, d, d)) for h, d in ((2, 8), (3, 18))]
    outputs = [fn(Q, K, V, num_heads=h) for h, (Q, K, V) in cases]
    for guess in sorted(guesses, key=lambda names: sum(map(bool, names))):
        wants = [with_heads(*QKV, h, *guess) for h, QKV in cases]
        if all(close(output, want) for output, want in zip(outputs, wants, strict=True)):
            if any(guess):
                raise Mistake(*filter(None, guess))
            return
    raise Mistake("other_heads")


def with_heads(Q: Tensor, K: Tensor, V: Tensor, h: int, split: str, merge: str, name: str) -> Tensor:
    """What attention with h heads gives, with the mistakes that are named."""
    d = Q.size(-1)
    factor = {"": (d // h) ** -0.5, "scaling_by_d_model": d**-0.5, "no_scaling": 1.0}[name]
    result = attention(*(split_heads(x, h, by_view=bool(split)) for x in (Q, K, V)), scale=factor)
    return merge_heads(result, by_view=bool(merge))


def split_heads(x: Tensor, h: int, *, by_view: bool) -> Tensor:
    """(b, n, d_model) → (b, h, n, d_k); by view alone, a head gets parts of different words."""
    b, n, _ = x.shape
    return x.reshape(b, h, n, -1) if by_view else x.reshape(b, n, h, -1).transpose(1, 2)


def merge_heads(x: Tensor, *, by_view: bool) -> Tensor:
    """(b, h, n, d_k) → (b, n, d_model); by view alone, a word gets results of other words."""
    b, _, n, _ = x.shape
    return x.reshape(b, n, -1) if by_view else x.transpose(1, 2).flatten(-2)


LOOK = [[1, 0, 1, 0, 0], [0, 1, 1, 0, 1], [1, 1, 0, 1, 0]]


def mask(fn: Learner) -> str | None:
    Q, K, _ = fn.data(3, 5)
    look = fn.mask(3, 5) & torch.tensor(LOOK).bool()
    plain, masked = fn.weights(Q, K), fn.weights(Q, K, mask=look)
    look = look.reshape(masked.shape)
    seen = masked > 1e-6
    if close(masked, plain):
        raise Mistake("mask_ignored")
    if torch.equal(seen, ~look):
        raise Mistake("inverted_mask")
    if not torch.equal(seen, look):
        raise Mistake("masked_scores_zero")
    if close(plain.sum(-1), torch.ones(3)) and not close(masked.sum(-1), torch.ones(3)):
        raise Mistake("masked_after_softmax")
    if fn.weights(*low(Q, K), mask=look.reshape(fn.mask(3, 5).shape))[~look].max() > 1e-6:
        raise Mistake("filled_too_high")
    square = torch.tensor([*LOOK, *LOOK[:2]]).bool()
    Q_5, K_5, _ = fn.data(5, 5)
    if torch.equal((fn.weights(Q_5, K_5, mask=fn.mask(5, 5) & square) > 1e-6).reshape(5, 5), square.T):
        raise Mistake("mask_turned")
    own_masks(fn)
    blind = fn.weights(Q, K, mask=fn.mask(3, 5) & torch.tensor([LOOK[0], [0] * 5, LOOK[2]]).bool())[..., 1, :]
    if blind.isnan().any():
        return "empty_nan"
    return "empty_mean" if blind.any() else None


def low(Q: Tensor, K: Tensor) -> tuple[Tensor, Tensor]:
    """Queries and keys whose scores are all far below 0."""
    return torch.full_like(Q, -1000), K.abs() + 1


def own_masks(fn: Learner) -> None:
    """Each of two samples has its own mask, if the function takes two."""
    Q, K, V = data((2,), 3, 5, d_v=8)
    looks = torch.stack([torch.tensor(LOOK), torch.tensor(LOOK[::-1])]).bool()
    looks = looks[:, None] if "num_heads" in fn.keywords else looks
    if fn.fails(Q, K, V):
        return
    output = fn(Q, K, V, mask=looks)
    for i in range(2):
        one = (slice(i, i + 1) if fn.lead else i, ...)
        if not close(output[one], fn(Q[one], K[one], V[one], mask=looks[one])):
            raise Mistake("mask_of_another")


def causal(fn: Learner) -> str | None:
    everyone = torch.ones(5, 5).bool()
    seen = sees(fn, 5, 5)
    if not torch.equal(seen, everyone.tril()):
        if torch.equal(seen[1:], everyone.tril(-1)[1:]):
            raise Mistake("hidden_diagonal")
        if seen.all():
            raise Mistake("causal_ignored")
        if any(torch.equal(seen[:-1], everyone.triu(k)[:-1]) for k in (0, 1)):
            raise Mistake("inverted_causal")
        raise Mistake("other_triangle")
    Q, K, _ = fn.data(5, 5)
    if fn.weights(*low(Q, K), causal=True).reshape(5, 5)[~everyone.tril()].max() > 1e-6:
        raise Mistake("filled_too_high")
    if "mask" in fn.keywords:
        look = torch.tensor([*LOOK, *LOOK[:2]]).bool() | torch.eye(5).bool()
        alone, both = (sees(fn, 5, 5, causal=also, mask=fn.mask(5, 5) & look) for also in (False, True))
        if torch.equal(alone, look) and not torch.equal(both, look.tril()):
            raise Mistake("mask_lost")
    try:
        seen = sees(fn, 3, 5)
    except Mistake:
        return "causal_square"
    if not torch.equal(seen, everyone[2:].tril(2)):
        raise Mistake("first_lined_up" if torch.equal(seen, everyone[:3].tril()) else "other_triangle")
    return None


def sees(fn: Learner, n: int, m: int, *, causal: bool = True, **options: object) -> Tensor:
    """Which keys each query sees, (n, m)."""
    Q, K, _ = fn.data(n, m)
    return (fn.weights(Q, K, causal=causal, **options) > 1e-6).reshape(n, m)


def half(fn: Learner) -> None:
    options: list[dict[str, object]] = [{}]
    if "mask" in fn.keywords:
        options.append({"mask": fn.mask(5, 5) & torch.ones(5, 5).bool().tril(-1)})  # the first query sees nothing
    if "causal" in fn.keywords:
        options.append({"causal": True})
    Q, K, _ = data(fn.lead, 5, 5)
    for option in options:
        wide = fn.weights(Q, K, **option)
        try:
            narrow = fn.weights(Q.half(), K.half(), **option)
        except Mistake as mistake:
            raise Mistake("minus_1e9") if "overflow" in str(mistake.values) else mistake from mistake
        if option and narrow.isnan().any() and not wide.isnan().any():
            raise Mistake("minus_1e9")
        if narrow.dtype != torch.half:
            raise Mistake("other_dtype", came=str(narrow.dtype)[6:], want="float16")
        if not close(narrow.nan_to_num(), wide.nan_to_num(), atol=1e-2):
            raise Mistake("half_wrong")


def again(fn: Learner) -> None:
    inputs = fn.data(3, 5)
    first = fn(*inputs)
    fn(*data(fn.lead, 4, 6))  # something else between
    if not close(fn(*inputs), first):
        raise Mistake("another_result")
    before = [x.clone() for x in inputs]
    fn.given(*inputs)
    if not all(map(torch.equal, inputs, before)):
        raise Mistake("input_changed")


PROBES: dict[str, Callable[[Learner], str | None]] = {
    "shape": shape, "rows": rows, "scale": scale, "mix": mix, "order": order, "large": large,
    "batch": batch, "heads": heads, "mask": mask, "causal": causal, "half": half, "again": again,
}
