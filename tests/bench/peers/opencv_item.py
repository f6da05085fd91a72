"""One sample by OpenCV, for loaders that bring threads but no decoder."""

import random

import cv2

import peer


class OpenCvItem:
    def __init__(self, given):
        cv2.setNumThreads(0)
        self.given = given

    def __call__(self, item):
        given = self.given
        image = cv2.cvtColor(cv2.imread(item[0] if given.segmentation else item), cv2.COLOR_BGR2RGB)
        if not given.segmentation:
            x, y, w, h = peer.random_part(image.shape[1], image.shape[0])
            image = image[y : y + h, x : x + w]
        shown = [cv2.resize(image, (given.side, given.side))]
        if given.segmentation:
            shown.append(
                cv2.resize(
                    cv2.imread(item[1], cv2.IMREAD_GRAYSCALE),
                    (given.side, given.side),
                    interpolation=cv2.INTER_NEAREST,
                )
            )
        return tuple(cv2.flip(each, 1) for each in shown) if random.random() < 0.5 else tuple(shown)
