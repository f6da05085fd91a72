"""CamoXpert in plain PyTorch on timm's EdgeNeXt: the reference of the C++ network for values, and
for speed. Keys, shapes and formulas are those of model/camoxpert.h and what it includes."""
import math

import timm
import torch
from torch import nn
from torch.nn import functional as F

from camoxpert_experts import (EXPERT_NAMES, Attention, ChannelNorm, LastNorm, Pointwise,
                               at_least_float, make_expert, same_conv, to_front, to_last)


class PositionEncoding(nn.Module):
    """EdgeNeXt's, its 32 features an axis kept for the size: timm makes them on the host for each
    batch, and the host then waits for the copy."""

    def __init__(self, token_projection):
        super().__init__()
        self.token_projection = token_projection
        self.made_for = None

    def forward(self, shape):
        b, h, w = shape
        weight = self.token_projection.weight
        key = (h, w, weight.dtype, weight.device)
        if key != self.made_for:
            i = torch.arange(32, dtype=torch.double)
            frequency = 2 * math.pi / 10000 ** (2 * (i // 2) / 32)
            positions = (torch.arange(1, n + 1, dtype=torch.double) / (n + 1e-6) for n in (h, w))
            angles = (p.unsqueeze(1) * frequency for p in positions)
            rows, columns = (torch.where(i % 2 == 0, a.sin(), a.cos()) for a in angles)
            both = [rows.unsqueeze(1).expand(h, w, 32), columns.unsqueeze(0).expand(h, w, 32)]
            self.features = torch.cat(both, 2).permute(2, 0, 1).unsqueeze(0).to(weight)
            self.made_for = key
        return self.token_projection(self.features).expand(b, -1, -1, -1)


def make_backbone(name):
    """timm's feature extractor, with faster norms and position encoding of the same values."""
    backbone = timm.create_model(name, pretrained=False, features_only=True)
    for parent in list(backbone.modules()):
        for key, child in list(parent.named_children()):
            if isinstance(child, timm.layers.LayerNorm2d):
                setattr(parent, key, ChannelNorm(*child.normalized_shape))
            elif isinstance(child, nn.LayerNorm):
                setattr(parent, key, LastNorm(*child.normalized_shape))
            elif key == "pos_embd":
                setattr(parent, key, PositionEncoding(child.token_projection))
    return backbone


class MoeLayer(nn.Module):
    """Each expert runs once, on the images routed to it; the host waits once, for their numbers.

    With `balanced` set, 100 is added to the logits of the experts (b * top_k + j) mod E of image b,
    j = 0 .. top_k - 1: equal shares, while weights and gradients stay the router's own."""

    def __init__(self, d, experts, attention, top_k, balance_weight, z_weight):
        super().__init__()
        self.gate = nn.Sequential(nn.AdaptiveAvgPool2d(1), Pointwise(d, len(experts)))
        self.experts = nn.ModuleList(make_expert(name, d, attention) for name in experts)
        self.top_k, self.balance_weight, self.z_weight = top_k, balance_weight, z_weight
        self.balanced = False

    def route(self, x):
        """Weights and indices [B, top_k], images an expert [E], the weighted loss; in float."""
        expert = torch.arange(len(self.experts), device=x.device)
        with torch.autocast(x.device.type, enabled=False):
            logits = self.gate(at_least_float(x)).flatten(1)
            if self.balanced:
                slots = torch.arange(len(x) * self.top_k, device=x.device).view(len(x), -1, 1)
                logits = logits + 100 * (slots % len(expert) == expert).sum(1)
            chosen, indices = logits.topk(self.top_k, 1)
            counts = (indices.unsqueeze(-1) == expert).sum((0, 1))
            shares = counts.to(logits.dtype) / indices.numel()
            balance = len(expert) * (shares * logits.softmax(1).mean(0)).sum()
            z = logits.logsumexp(1).square().mean()
            auxiliary = self.balance_weight * balance + self.z_weight * z
        return chosen.softmax(1), indices, counts, auxiliary

    def forward(self, x):
        weights, indices, counts, auxiliary = self.route(x)
        slots = indices.flatten().argsort(stable=True)
        images = slots // self.top_k
        parts = to_last(x).index_select(0, images).split(counts.tolist())
        outputs = [to_last(expert(to_front(part)))
                   for expert, part in zip(self.experts, parts) if len(part)]
        weights = weights.flatten().index_select(0, slots).view(-1, 1, 1, 1)
        weighted = torch.cat(outputs) * weights
        mixed = torch.zeros_like(to_last(x), dtype=weighted.dtype)
        return to_front(mixed.index_add(0, images, weighted)), auxiliary, indices


class StageEncoder(nn.Module):
    """The gate block; with `attention` x + gamma * A(x) after it."""

    def __init__(self, d, attention=None):
        super().__init__()
        self.channel_attention = nn.Sequential(
            nn.AdaptiveAvgPool2d(1), Pointwise(d, d // 8), nn.ReLU(), Pointwise(d // 8, d),
            nn.Sigmoid())
        self.spatial_attention = nn.Sequential(same_conv(d, 1, 7), nn.Sigmoid())
        self.attention = Attention(d, attention) if attention else None
        if attention:
            self.gamma = nn.Parameter(torch.full((d,), 1e-6))

    def forward(self, x):
        x = x * self.channel_attention(x)
        x = x * self.spatial_attention(x)
        return x + self.gamma.view(-1, 1, 1) * self.attention(x) if self.attention else x


def resize(x, size):
    return x if x.shape[2:] == size else F.interpolate(x, size=size, mode="bilinear")


class DecoderBlock(nn.Module):
    def __init__(self, inputs, skip, outputs):
        super().__init__()
        self.conv = nn.Sequential(
            same_conv(inputs + skip, outputs, 3), nn.BatchNorm2d(outputs), nn.ReLU(inplace=True),
            same_conv(outputs, outputs, 3), nn.BatchNorm2d(outputs), nn.ReLU(inplace=True))

    def forward(self, x, skip=None):
        x = F.interpolate(x, scale_factor=2, mode="bilinear")
        if skip is not None:
            # In x's type: the convolution would narrow a float skip anyway, after a wider copy.
            x = torch.cat([resize(x, skip.shape[2:]), skip.to(x.dtype)], 1)
        return self.conv(x)


class CamoXpert(nn.Module):
    """Returns logits [B, 1, H, W], the side logits (while training), the routers' loss and for each
    layer the chosen experts [B, top_k]."""

    def __init__(self, backbone="edgenext_base", encoder="gate", attention="linear", top_k=3,
                 experts=EXPERT_NAMES, balance_weight=0.01, z_weight=0.0, deep_supervision=True):
        super().__init__()
        self.backbone = make_backbone(backbone)
        dims = self.backbone.feature_info.channels()
        encoder_attention = attention if encoder == "sdta" else None
        self.sdta_blocks = nn.ModuleList(StageEncoder(d, encoder_attention) for d in dims)
        self.moe_layers = nn.ModuleList(
            MoeLayer(d, experts, attention, top_k, balance_weight, z_weight) for d in dims)
        self.decoder_blocks = nn.ModuleList(
            DecoderBlock(dims[i + 1], dims[i], dims[i]) for i in (2, 1, 0))
        self.decoder_blocks.append(DecoderBlock(dims[0], 0, 64))
        self.deep_heads = nn.ModuleList(
            nn.Conv2d(dims[i], 1, 1) for i in (2, 1, 0) if deep_supervision)
        self.final_conv = nn.Sequential(
            same_conv(64, 32, 3), nn.BatchNorm2d(32), nn.ReLU(inplace=True), nn.Conv2d(32, 1, 1))

    def forward(self, images):
        features, auxiliary, routing = [], 0, []
        for x, encoder, layer in zip(self.backbone(images), self.sdta_blocks, self.moe_layers):
            x, loss, indices = layer(encoder(x))
            features.append(x)
            auxiliary = auxiliary + loss
            routing.append(indices)
        decoded = [features[3]]
        for block, skip in zip(self.decoder_blocks, (*features[2::-1], None)):
            decoded.append(block(decoded[-1], skip))
        deep = [head(x) for head, x in zip(self.deep_heads, decoded[1:])] if self.training else []
        logits = self.final_conv(resize(decoded[-1], images.shape[2:]))
        return logits, deep, auxiliary, routing
