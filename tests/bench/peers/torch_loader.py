"""PyTorch's DataLoader. --variant pil: Pillow and torchvision v2; io: torchvision.io and v2 on
tensors, antialiased as by default; io-not-antialiased; albumentations: OpenCV, albumentations."""

import peer

given = peer.parse()

import numpy as np  # noqa: E402
import torch  # noqa: E402
from torch.utils.data import DataLoader, Dataset  # noqa: E402

torch.set_num_threads(1)


def albumentations_loader():
    import albumentations as A
    import cv2

    cv2.setNumThreads(0)
    if given.segmentation:
        scaled = A.Resize(given.side, given.side)
    else:
        scaled = A.RandomResizedCrop(
            size=(given.side, given.side), scale=peer.SCALE, ratio=peer.RATIO
        )
    transform = A.Compose([scaled, A.HorizontalFlip(p=0.5)])

    def image_at(path):
        return cv2.cvtColor(cv2.imread(path), cv2.COLOR_BGR2RGB)

    def load(item):
        if not given.segmentation:
            return torch.from_numpy(np.ascontiguousarray(transform(image=image_at(item))["image"]))
        done = transform(image=image_at(item[0]), mask=cv2.imread(item[1], cv2.IMREAD_GRAYSCALE))
        return tuple(
            torch.from_numpy(np.ascontiguousarray(done[name])) for name in ("image", "mask")
        )

    return load


def torchvision_loader():
    from PIL import Image
    from torchvision import io, tv_tensors
    from torchvision.transforms import v2

    pillow = given.variant == "pil"
    antialias = given.variant != "io-not-antialiased"
    if given.segmentation:
        scaled = v2.Resize((given.side, given.side), antialias=antialias)
    else:
        scaled = v2.RandomResizedCrop(given.side, peer.SCALE, peer.RATIO, antialias=antialias)
    transform = v2.Compose([scaled, v2.RandomHorizontalFlip()])

    def image_at(path):
        if pillow:
            return Image.open(path).convert("RGB")
        return tv_tensors.Image(io.decode_image(io.read_file(path), mode=io.ImageReadMode.RGB))

    def mask_at(path):
        if pillow:
            return tv_tensors.Mask(np.asarray(Image.open(path).convert("L")))
        return tv_tensors.Mask(io.decode_image(io.read_file(path), mode=io.ImageReadMode.GRAY))

    def nhwc(image):
        if pillow:
            return torch.from_numpy(np.array(image))
        return image.as_subclass(torch.Tensor).permute(1, 2, 0).contiguous()

    def load(item):
        if not given.segmentation:
            return nhwc(transform(image_at(item)))
        image, mask = transform(image_at(item[0]), mask_at(item[1]))
        return (
            nhwc(image),
            mask.as_subclass(torch.Tensor).reshape(given.side, given.side).contiguous(),
        )

    return load


class Files(Dataset):
    def __init__(self):
        self.load = (
            albumentations_loader() if given.variant == "albumentations" else torchvision_loader()
        )

    def __len__(self):
        return len(given.items)

    def __getitem__(self, i):
        return self.load(given.items[i])


loader = DataLoader(
    Files(),
    batch_size=given.batch,
    num_workers=peer.WORKERS,
    persistent_workers=True,
    prefetch_factor=2,
)
peer.measure(given, loader, lambda batch: batch[0] if given.segmentation else batch)
