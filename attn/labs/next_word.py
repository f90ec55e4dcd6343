"""A small language model: it learns from next words alone, finishes a sentence, and can be opened and asked.

Its sentences name places, then words with two senses, and never say which sense is meant: what follows such a word
depends on a place before it. What is bought differs from word to word (apple pie, mouse traps). What is talked about
does not: whatever lives has genes, whatever is made has patents, and a sentence may name a place of either kind for
two different words. There, only who asks tells which place counts.

>>> model = learn("en")
>>> for place in ("orchard", "launch"):
...     likeliest = chances(model, f"after the {place} , she bought apple".split())[:3]
...     print(place, *sorted(word for word, _ in likeliest))
orchard cake juice pie
launch phones tablets watches
>>> for word in ("apple", "mouse"):
...     likeliest = chances(model, f"after the orchard and the office , she discussed {word}".split())[:3]
...     print(word, *sorted(word for word, _ in likeliest))
apple cells genes relatives
mouse designers factories patents
"""

import itertools
import random
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from attn.block import TransformerBlock
from attn.cache import KVCache
from attn.functional import attention_weights

CONTEXTS = (  # what decides how much each word counts
    "itself",  # only the word that asks counts
    "alike",  # all words so far count the same
    "near",  # the distance, learned
    "keys",  # the words looked at, not who looks: attention with one learned query for all
    "attention",  # who looks, and the words looked at
)
D_MODEL = 32
LONGEST = 24  # words of a sentence, its start included
SPREAD = 0.1  # of the vectors of words and places at the start: short, so that the first weights are nearly even
BATCH = 32  # sentences a step
UNTOLD = 0.35  # the share of sentences that name no place, so that a model learns what to expect without a clue
START = "<s>"  # stands before each sentence
NOTHING = -1  # stands behind the end of a sentence in a batch


class Grammar(NamedTuple):
    """The words of a language, and the way they join to a sentence."""

    who: tuple[str, ...]
    buys: tuple[str, ...]  # verbs after which a word is followed by a word of its own
    talks: tuple[str, ...]  # verbs after which it is followed by a word that other words share
    went: tuple[str, ...]
    targets: dict[str, dict[str, tuple[tuple[str, ...], tuple[str, ...]]]]  # word: {sense: (places, what is bought)}
    shared: tuple[tuple[str, ...], tuple[str, ...]]  # what is talked about in the first sense, and in the second
    orders: tuple[str, str]  # of a sentence without a place, and with
    places: str  # joins two places
    joined: str  # joins two words with what follows them
    end: str


GRAMMARS = {
    "zh": Grammar(
        who=("她", "他", "我们", "他们"),
        buys=("买了", "想买", "要了"),
        talks=("谈到", "查过", "读到"),
        went=("离开", "路过", "走进", "想起"),
        targets={
            "苹果": {
                "水果": (("果园", "面包房", "果汁铺", "糖水铺"), ("派", "酱", "汁")),
                "公司": (("发布会", "数码城", "维修点", "机房"), ("手机", "电脑", "手表")),
            },
            "黄牛": {
                "牛": (("牧场", "草原", "牛棚", "农家院"), ("肉", "皮", "犊")),
                "票贩": (("演唱会", "火车站", "球场", "医院"), ("票", "号", "券")),
            },
            "甲壳虫": {
                "昆虫": (("树林", "草丛", "昆虫馆", "花园"), ("标本", "图鉴", "幼虫")),
                "乐队": (("唱片店", "酒吧", "琴行", "音乐节"), ("唱片", "海报", "专辑")),
            },
        },
        shared=(("基因", "细胞", "祖先"), ("收入", "官司", "网站")),
        orders=("{who} {does} {targets}", "{went} {places} ， {who} {does} {targets}"),
        places=" 和 ",
        joined=" 和 ",
        end="。",
    ),
    "en": Grammar(
        who=("she", "he", "we", "they"),
        buys=("bought", "wanted", "found"),
        talks=("discussed", "mentioned", "studied"),
        went=("after", "before", "near", "outside"),
        targets={
            "apple": {
                "fruit": (("orchard", "bakery", "harvest", "kitchen"), ("pie", "juice", "cake")),
                "company": (("launch", "keynote", "showroom", "hackathon"), ("phones", "watches", "tablets")),
            },
            "mouse": {
                "animal": (("attic", "barn", "cellar", "pantry"), ("traps", "cages", "bait")),
                "device": (("office", "webinar", "tutorial", "spreadsheet"), ("pads", "cables", "wheels")),
            },
            "bat": {
                "animal": (("cave", "belfry", "ruins", "dusk"), ("boxes", "houses", "nets")),
                "club": (("stadium", "playoffs", "dugout", "inning"), ("grips", "racks", "bags")),
            },
        },
        shared=(("genes", "cells", "relatives"), ("patents", "factories", "designers")),
        orders=("{who} {does} {targets}", "{went} the {places} , {who} {does} {targets}"),
        places=" and the ",
        joined=" and ",
        end=".",
    ),
}


class Gap(NamedTuple):
    """A sentence that breaks off after a word with two senses."""

    words: tuple[str, ...]
    clue: int  # where the place stands that tells the sense
    follows: tuple[str, ...]  # what may come next
    other: int | None = None  # where the place stands that tells the sense of another word


def vocabulary(language: str) -> list[str]:
    """Every word of the language, in a fixed order, the start first."""
    g = GRAMMARS[language]
    told = [word for senses in g.targets.values() for places, nexts in senses.values() for word in (*places, *nexts)]
    joints = f"{g.orders[1]}{g.places}{g.joined}{g.end}".format(went="", places="", who="", does="", targets="").split()
    return list(
        dict.fromkeys((START, *g.who, *g.buys, *g.talks, *g.went, *joints, *g.targets, *told, *sum(g.shared, ())))
    )


def said(language: str, went: str, places: Sequence[str], who: str, does: str, targets: Sequence[str]) -> list[str]:
    """The words of a sentence, without its start and its end."""
    g = GRAMMARS[language]
    order, joined = g.orders[bool(places)], g.joined.join(targets)
    return order.format(went=went, places=g.places.join(places), who=who, does=does, targets=joined).split()


def next_of(language: str, does: str, target: str, sense: int) -> tuple[str, ...]:
    """What may follow a word in its first or second sense."""
    g = GRAMMARS[language]
    return g.shared[sense] if does in g.talks else list(g.targets[target].values())[sense][1]


def corpus(language: str, size: int = 3000, seed: int = 0) -> list[list[str]]:
    """Sentences to learn from, a third of them without a place; no two places that meet in `exam` meet here."""
    choose, g = random.Random(seed), GRAMMARS[language]
    together = {places_of(language, gap.words) for gaps in exam(language).values() for gap in gaps}
    sentences: list[list[str]] = []
    while len(sentences) < size:
        asked = [(target, choose.randrange(2)) for target in choose.sample(list(g.targets), choose.choice((1, 2, 2)))]
        places = [choose.choice(list(g.targets[target].values())[sense][0]) for target, sense in asked]
        choose.shuffle(places)
        if len(places) == 2 and frozenset(places) in together:
            continue
        if choose.random() < UNTOLD:
            places = []
        does = choose.choice(g.buys + g.talks)
        targets = [f"{target} {choose.choice(next_of(language, does, target, sense))}" for target, sense in asked]
        words = said(language, choose.choice(g.went), places, choose.choice(g.who), does, targets)
        sentences.append([*words, g.end])
    return sentences


def places_of(language: str, words: Sequence[str]) -> frozenset[str]:
    """The places among some words."""
    senses = GRAMMARS[language].targets.values()
    return frozenset(words) & {place for each in senses for places, _ in each.values() for place in places}


def exam(language: str) -> dict[str, list[Gap]]:
    """What is asked after training, always with two places, one of them for a word that is not asked about.

    "bought": what is bought; then what is talked about, where both places speak of the "same" kind (living, or made)
    and where they "differ". It is complete: each sentence is there with its places swapped, and with the other asker.
    """
    g = GRAMMARS[language]
    found: dict[str, list[Gap]] = {"bought": [], "same": [], "differ": []}
    for pair in itertools.permutations(g.targets, 2):
        for mine, other in itertools.product(range(2), range(2)):
            own, foreign = (list(g.targets[t].values())[s][0] for t, s in zip(pair, (mine, other), strict=True))
            for places in zip(own, foreign, strict=True):
                for does, order in itertools.product((g.buys[0], g.talks[0]), (places, places[::-1])):
                    words = said(language, g.went[0], order, g.who[0], does, pair[:1])
                    own_at, other_at = map(words.index, places)
                    gap = Gap(tuple(words), own_at, next_of(language, does, pair[0], mine), other_at)
                    found["bought" if does in g.buys else "same" if mine == other else "differ"].append(gap)
    return found


class Look(nn.Module):
    """In the place of a block's attention: each word mixes itself and those before it, weighed in a poorer way.

    Args:
        d_model: size of a word's vector.
        context: what decides the weights, one of CONTEXTS but the last.

    >>> Look(8, "alike").weights(torch.ones(3, 8))[0].detach().round(decimals=2)
    tensor([[1.0000, 0.0000, 0.0000],
            [0.5000, 0.5000, 0.0000],
            [0.3300, 0.3300, 0.3300]])
    """

    def __init__(self, d_model: int, context: str) -> None:
        super().__init__()
        self.context = context
        self.W_k, self.W_v, self.W_o = (nn.Linear(d_model, d_model) for _ in range(3))
        self.query = nn.Parameter(torch.zeros(d_model))
        self.near = nn.Parameter(torch.zeros(LONGEST))

    def forward(self, x: Tensor, *, mask: Tensor | None = None, **_: object) -> Tensor:
        """Takes and gives (…, n, d_model); always causal, never cached."""
        mixed: Tensor = self.W_o((self.weights(x, mask=mask) @ self.W_v(x)[..., None, :, :]).squeeze(-3))
        return mixed

    def weights(self, x: Tensor, *, mask: Tensor | None = None, **_: object) -> Tensor:
        """How much each word counts for each, in one head: (…, 1, n, n)."""
        n = x.size(-2)
        if self.context == "itself":
            return torch.eye(n).expand(*x.shape[:-2], 1, n, n)
        places = torch.arange(n)
        K = self.W_k(x)[..., None, :, :]  # (…, 1, n, d_model)
        bias = self.near[(places[:, None] - places).clamp(min=0)] if self.context == "near" else None
        scale = None if self.context == "keys" else 0.0  # 0: whatever the words
        return attention_weights(self.query.expand(K.shape), K, mask=mask, causal=True, bias=bias, scale=scale)


class Writer(nn.Module):
    """Words → vectors → blocks → for each position, a score for each next word.

    Args:
        words: the vocabulary, the start first.
        layers: the number of blocks.
        num_heads: heads of attention in each.
        d_model: size of a word's vector.
        spread: of the vectors of words and places at the start.
        context: what decides how much each word counts, one of CONTEXTS.
        feed_forward: whether each word also thinks for itself after it has looked around.
    """

    def __init__(
        self, words: Sequence[str], *, layers: int = 1, num_heads: int = 4, d_model: int = D_MODEL,
        spread: float = SPREAD, context: str = "attention", feed_forward: bool = True,
    ) -> None:  # fmt: skip
        if context not in CONTEXTS:
            raise ValueError(f"context must be one of {CONTEXTS}: it is {context!r}")
        super().__init__()
        self.words = list(words)
        self.number = {word: i for i, word in enumerate(self.words)}
        self.embedding, self.position = nn.Embedding(len(self.words), d_model), nn.Embedding(LONGEST, d_model)
        for table in (self.embedding, self.position):
            nn.init.normal_(table.weight, std=spread)
        self.blocks = nn.ModuleList(TransformerBlock(d_model, num_heads) for _ in range(layers))
        for block in self.blocks:
            if context != "attention":
                block.attention = Look(d_model, context)
            if not feed_forward:
                block.feed_forward = Nothing()
        self.norm, self.out = nn.LayerNorm(d_model), nn.Linear(d_model, len(self.words))

    def forward(self, numbers: Tensor, *, mask: Tensor | None = None, caches: Sequence[KVCache] = ()) -> Tensor:
        """The scores (logits) of each next word, (…, n, number of words), for the words' numbers (…, n)."""
        x = self.vectors(numbers, caches[0].length if caches else 0)
        for block, cache in itertools.zip_longest(self.blocks, caches):
            x = block(x, causal=True, mask=mask, cache=cache)
        logits: Tensor = self.out(self.norm(x))
        return logits

    def vectors(self, numbers: Tensor, before: int = 0) -> Tensor:
        """What goes into the first block: the vector of each word plus that of its place, (…, n, d_model)."""
        n = before + numbers.size(-1)
        if n > LONGEST:
            raise ValueError(f"a sentence must have at most {LONGEST} words, its start included: it has {n}")
        x: Tensor = self.embedding(numbers) + self.position.weight[before:n]
        return x

    def read(self, words: Sequence[str]) -> Tensor:
        """The numbers of a sentence's words, that of the start before them, (1 + number of words,)."""
        unknown = sorted(set(words) - set(self.number))
        if unknown:
            raise ValueError(f"words must be in the vocabulary: {' '.join(unknown)} are not")
        return torch.tensor([self.number[word] for word in (START, *words)])

    def batch(self, sentences: Sequence[Sequence[str]]) -> Tensor:
        """Sentences in numbers, NOTHING behind the shorter ones, (b, n)."""
        rows = [self.read(words) for words in sentences]
        numbers: Tensor = nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=NOTHING)
        return numbers


class Nothing(nn.Module):
    """In the place of a feed-forward layer: it adds nothing."""

    def forward(self, x: Tensor) -> Tensor:
        """Zeros of x's shape."""
        return torch.zeros_like(x)


def begin(language: str, *, seed: int = 0, **options: Any) -> Writer:
    """A model that knows nothing yet; `options` are those of `Writer`. Torch's random numbers are left as they were."""
    if language not in GRAMMARS:
        raise ValueError(f"language must be one of {tuple(GRAMMARS)}: it is {language!r}")
    return seeded(vocabulary(language), seed, **options)


def seeded(words: Sequence[str], seed: int, **options: Any) -> Writer:
    """A model whose first numbers depend on the seed alone."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return Writer(words, **options)


def lessons(
    model: Writer, sentences: Sequence[Sequence[str]], *,
    steps: int, rate: float = 0.006, seed: int = 0, asked: slice = slice(None),
) -> Iterator[float]:  # fmt: skip
    """Teach a model each next word of some sentences; gives the loss of each step.

    `asked` are the words of a sentence that it is taught, all unless given.
    """
    X, choose = model.batch(sentences), torch.Generator().manual_seed(seed)
    answers = torch.full_like(X[:, 1:], NOTHING)
    answers[:, asked] = X[:, 1:][:, asked]
    optimizer = torch.optim.AdamW(model.parameters(), lr=rate, weight_decay=0.1, fused=True)
    for _ in range(steps):
        chosen = torch.randint(len(X), (BATCH,), generator=choose)
        logits = model(X[chosen, :-1].clamp(min=0))  # (b, n - 1, number of words)
        loss = nn.functional.cross_entropy(logits.transpose(1, 2), answers[chosen], ignore_index=NOTHING)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        yield loss.item()


def learn(language: str, *, steps: int = 600, size: int = 3000, seed: int = 0, **options: Any) -> Writer:
    """A model that has read a corpus; `options` are those of `Writer`."""
    model = begin(language, seed=seed, **options)
    for _ in lessons(model, corpus(language, size, seed), steps=steps, seed=seed):
        pass
    return model.eval()


@torch.no_grad()
def answers(model: Writer, sentences: Sequence[Sequence[str]], hide: Sequence[int] | None = None) -> list[str]:
    """The likeliest next word of each sentence; `hide`: a position of each that no other may look at."""
    X = model.batch(sentences).clamp(min=0)
    n = X.size(1)
    mask = None if hide is None else torch.stack([seen(n, [at]) for at in hide])  # (b, 1, n, n)
    last = torch.tensor([len(words) for words in sentences])
    best = model(X, mask=mask)[torch.arange(len(X)), last].argmax(dim=-1)
    return [model.words[i] for i in best.tolist()]


def accuracy(model: Writer, gaps: Sequence[Gap], hide: Sequence[int] | None = None) -> float:
    """The share of gaps in which the likeliest next word is one that may follow."""
    said = answers(model, [gap.words for gap in gaps], hide)
    return sum(word in gap.follows for word, gap in zip(said, gaps, strict=True)) / len(gaps)


@torch.no_grad()
def chances(model: Writer, words: Sequence[str], hide: Sequence[int] = ()) -> list[tuple[str, float]]:
    """Each word and the chance that it comes next, the likeliest first; `hide`: positions that no other may look at."""
    numbers = model.read(words)
    p = model(numbers, mask=seen(len(numbers), hide))[-1].softmax(dim=-1)
    return [(model.words[i], p[i].item()) for i in p.argsort(descending=True).tolist()]


@torch.no_grad()
def weights(model: Writer, words: Sequence[str], hide: Sequence[int] = (), *, layer: int = 0) -> Tensor:
    """How much each word looks at each, in each head of a block: (h, n, n), the start first in both directions."""
    numbers = model.read(words)
    x, mask = model.vectors(numbers), seen(len(numbers), hide)
    blocks: list[Any] = list(model.blocks)
    for block in blocks[:layer]:
        x = block(x, causal=True, mask=mask)
    block = blocks[layer]
    looked: Tensor = block.attention.weights(block.norm_before_attention(x), causal=True, mask=mask)
    return looked


def seen(n: int, hide: Sequence[int]) -> Tensor:
    """A mask (1, n, n): every position may look at every other but the hidden ones; the first is the start."""
    mask = torch.ones(n, n, dtype=torch.bool)
    mask[:, [at + 1 for at in hide]] = False
    return (mask | torch.eye(n, dtype=torch.bool))[None]


@torch.no_grad()
def write(
    model: Writer, words: Sequence[str], *, most: int = 16, seed: int | None = None, cached: bool = True
) -> list[str]:
    """The words, and what the model writes after them, at most so many words, up to the end of the sentence.

    Each next word is the likeliest, or, with a seed, drawn by its chance. With a cache each step computes one word,
    without it all of them; what is written is the same.
    """
    caches = [KVCache(capacity=LONGEST) for _ in model.blocks] if cached else []
    dice = None if seed is None else torch.Generator().manual_seed(seed)
    written, new = list(words), model.read(words)
    for _ in range(min(most, LONGEST - len(new))):
        p = model(new if cached else model.read(written), caches=caches)[-1].softmax(dim=-1)
        new = p.argmax(dim=-1, keepdim=True) if dice is None else p.multinomial(1, generator=dice)
        written.append(model.words[int(new)])
        if written[-1] in (".", "。"):
            break
    return written
