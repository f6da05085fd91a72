"""CamoXpert's layers and seven experts in plain PyTorch. Keys, shapes and formulas are those of
model/experts/*.cc, which name the sources. All take and return [B, C, H, W] in any memory layout,
and are fastest in channels-last."""
import torch
from torch import nn
from torch.nn import functional as F

EXPERT_NAMES = ("texture", "attention", "hybrid", "frequency", "edge", "semantic_context",
                "contrast")


def at_least_float(x):
    return x.float() if x.dtype in (torch.float16, torch.bfloat16) else x


def to_last(x):
    return x.permute(0, 2, 3, 1)


def to_front(x):
    return x.permute(0, 3, 1, 2)


class Pointwise(nn.Conv2d):
    """A 1x1 convolution. Over channels-last memory it is a matrix product, which needs no new
    convolution plan when the number of images changes."""

    def __init__(self, inputs, outputs, bias=True):
        super().__init__(inputs, outputs, 1, bias=bias)

    def forward(self, x):
        if not x.is_contiguous(memory_format=torch.channels_last):
            return super().forward(x)
        return to_front(F.linear(to_last(x), self.weight.flatten(1), self.bias))


class LastNorm(nn.LayerNorm):
    """Layer norm over the last dimension, in the type that x has: the kernel's sums are in float
    anyway, and autocast would widen x and narrow the result again."""

    def __init__(self, channels):
        super().__init__(channels, eps=1e-6)

    def forward(self, x):
        with torch.autocast(x.device.type, enabled=False):
            weight, bias = self.weight.to(x.dtype), self.bias.to(x.dtype)
            return F.layer_norm(x, self.normalized_shape, weight, bias, self.eps)


class ChannelNorm(LastNorm):
    def forward(self, x):
        return to_front(super().forward(to_last(x)))


def same_conv(inputs, outputs, k, **options):
    padding = options.get("dilation", 1) * (k // 2)
    return nn.Conv2d(inputs, outputs, k, padding=padding, **options)


def pointwise_norm_gelu(inputs, outputs):
    return nn.Sequential(Pointwise(inputs, outputs), ChannelNorm(outputs), nn.GELU())


class Attention(nn.Module):
    """softmax(q k^T / sqrt(d_h)) v, or in float with phi(x) = elu(x) + 1
    phi(q) (phi(k)^T v) / (phi(q) . sum_n phi(k_n) + 1e-6). Who uses it adds the residual."""

    def __init__(self, channels, kind):
        super().__init__()
        self.heads = next(h for h in range(8, 0, -1) if channels % h == 0)
        self.kind = kind
        self.qkv = Pointwise(channels, 3 * channels, bias=False)
        self.proj = Pointwise(channels, channels)
        self.dropout = nn.Dropout(0.1)

    def forward(self, x):
        b, c, h, w = x.shape
        qkv = to_last(self.qkv(x)).reshape(b, h * w, 3, self.heads, c // self.heads)
        q, k, v = qkv.permute(2, 0, 3, 1, 4).unbind(0)
        attend = self.linear if self.kind == "linear" else F.scaled_dot_product_attention
        mixed = attend(q, k, v).transpose(1, 2).reshape(b, h, w, c)
        return self.dropout(self.proj(to_front(mixed)))

    @staticmethod
    def linear(q, k, v):
        with torch.autocast(q.device.type, enabled=False):
            q, k, v = (at_least_float(t) for t in (q, k, v))
            # elu(x) + 1 would lose the digits of exp(x) for x << 0.
            q, k = (F.relu(t) + t.clamp(max=0).exp() for t in (q, k))
            normaliser = q @ k.sum(-2).unsqueeze(-1) + 1e-6
            return q @ (k.transpose(-2, -1) @ v) / normaliser


class AttentionExpert(nn.Module):
    def __init__(self, d, kind):
        super().__init__()
        self.attention = Attention(d, kind)

    def forward(self, x):
        return x + self.attention(x)


class Texture(nn.Module):
    def __init__(self, d):
        super().__init__()
        for r in range(1, 5):
            setattr(self, f"branch{r}", nn.Sequential(
                Pointwise(d, d // 4), same_conv(d // 4, d // 4, 3, dilation=r),
                ChannelNorm(d // 4), nn.GELU()))
        self.fusion = pointwise_norm_gelu(d, d)

    def forward(self, x):
        scales = [self.branch1(x), self.branch2(x), self.branch3(x), self.branch4(x)]
        return x + self.fusion(torch.cat(scales, 1))


class Hybrid(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.local_branch = nn.Sequential(
            same_conv(d, d, 5, groups=d), ChannelNorm(d), Pointwise(d, d), nn.GELU())
        self.global_branch = nn.Sequential(
            nn.AdaptiveAvgPool2d(1), Pointwise(d, d // 4), nn.GELU(), Pointwise(d // 4, d),
            nn.Sigmoid())
        self.fusion = Pointwise(d, d)

    def forward(self, x):
        return x + self.fusion(self.local_branch(x) * self.global_branch(x))


class Frequency(nn.Module):
    def __init__(self, d):
        super().__init__()
        for band in ("low_freq", "mid_freq", "high_freq", "spatial"):
            setattr(self, band + "_conv", pointwise_norm_gelu(d, d // 4))
        self.fusion = pointwise_norm_gelu(d, d)

    def forward(self, x):
        low = F.avg_pool2d(x, 3, 1, 1)
        bands = [self.low_freq_conv(low), self.mid_freq_conv(low - F.avg_pool2d(x, 5, 1, 2)),
                 self.high_freq_conv(x - low), self.spatial_conv(x)]
        return x + self.fusion(torch.cat(bands, 1))


class Edge(nn.Module):
    def __init__(self, d):
        super().__init__()
        sobel = torch.tensor([[-1., 0, 1], [-2, 0, 2], [-1, 0, 1]]).view(1, 1, 3, 3)
        laplacian = torch.tensor([[0., 1, 0], [1, -4, 1], [0, 1, 0]]).view(1, 1, 3, 3)
        self.register_buffer("sobel_x_base", sobel)
        self.register_buffer("sobel_y_base", sobel.mT.contiguous())
        self.register_buffer("laplacian_base", laplacian)
        for branch in ("sobel", "laplacian", "gradient", "spatial"):
            setattr(self, branch + "_branch", pointwise_norm_gelu(d, d // 4))
        self.fusion = pointwise_norm_gelu(d, d)

    def forward(self, x):
        def filtered(kernel):
            kernel = kernel.expand(x.shape[1], -1, -1, -1)
            return at_least_float(F.conv2d(x, kernel, padding=1, groups=x.shape[1]))

        sx, sy = filtered(self.sobel_x_base), filtered(self.sobel_y_base)
        sobel_squared = sx.square() + sy.square() + 1e-8
        laplacian = filtered(self.laplacian_base).abs()
        gradient = (sobel_squared + laplacian.square() + 1e-8).sqrt()
        edges = [self.sobel_branch(sobel_squared.sqrt()), self.laplacian_branch(laplacian),
                 self.gradient_branch(gradient), self.spatial_branch(x)]
        return x + self.fusion(torch.cat(edges, 1))


class SemanticContext(nn.Module):
    """Pooling to the grids and interpolation back are matrix products: the backward passes of their
    own operators are several times slower on a GPU."""
    GRIDS = (8, 4, 2, 1)

    def __init__(self, d):
        super().__init__()
        for i in range(4):
            setattr(self, f"conv_{i + 1}", pointwise_norm_gelu(d, d // 4))
        self.context_fusion = pointwise_norm_gelu(d, d)
        self.made_for = None

    def prepare(self, x):
        """pool [85, HW] and for each grid up [HW, g * g], until size, type or device change."""
        key = (x.shape[2:], x.dtype, x.device)
        if key == self.made_for:
            return
        pools, self.ups = [], []
        for g in self.GRIDS:
            pool, up = [], []
            for n in x.shape[2:]:
                pool.append(F.adaptive_avg_pool1d(torch.eye(n, dtype=torch.double)[None], g)[0].T)
                grid = torch.eye(g, dtype=torch.double)[None]
                up.append(F.interpolate(grid, size=n, mode="linear")[0].T)
            pools.append(torch.kron(*pool))
            self.ups.append(torch.kron(*up).to(x))
        self.pool = torch.cat(pools).to(x)
        self.made_for = key

    def forward(self, x):
        self.prepare(x)
        b, _, h, w = x.shape
        pooled = torch.bmm(self.pool.expand(b, -1, -1), to_last(x).flatten(1, 2))
        context = []
        for i, grid in enumerate(pooled.split([g * g for g in self.GRIDS], 1)):
            embed = getattr(self, f"conv_{i + 1}")
            embedded = embed(grid.transpose(1, 2).unsqueeze(-1)).squeeze(-1).transpose(1, 2)
            context.append(torch.bmm(self.ups[i].expand(b, -1, -1), embedded))
        return x + self.context_fusion(to_front(torch.cat(context, -1).unflatten(1, (h, w))))


class Contrast(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.local_contrast = nn.Sequential(
            same_conv(d, d, 3, groups=d), ChannelNorm(d), nn.GELU(), Pointwise(d, d),
            ChannelNorm(d))
        self.fusion = pointwise_norm_gelu(d, d)

    def forward(self, x):
        return x + self.fusion(self.local_contrast(x))


def make_expert(name, d, attention):
    if name == "attention":
        return AttentionExpert(d, attention)
    return {"texture": Texture, "hybrid": Hybrid, "frequency": Frequency, "edge": Edge,
            "semantic_context": SemanticContext, "contrast": Contrast}[name](d)
