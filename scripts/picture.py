"""Charts of measured values as SVG, for microbench.py and flows.py: curves over axes, and bars."""
import math
from html import escape

COLOURS = ("#2f74d0", "#c96f12", "#1f8a5b", "#8a4fc0", "#c0392b", "#c2187a", "#d6b21f", "#8a94a3")
LINE = 18  # from a line of text to the next


def text(x, y, words, more='text-anchor="middle"'):
    return f'<text x="{x:.1f}" y="{y:.1f}" {more}>{escape(words)}</text>'


def step_of(most):
    """1, 2 or 5 times a power of ten: four to ten of it are `most`."""
    ten = 10 ** math.floor(math.log10(most))
    return next(s for s in (5 * ten, 2 * ten, ten, ten / 2, ten / 5) if most / s >= 4)


class Panel:
    """Axes in a part of a picture: x from 0 or, by powers of two, from `least_x` to `most_x`, y from 0 to `most_y`.
    `names`: the legend, (name, colour, mark) in lines above the axes; mark: "line", "dashed", "points" or "bar"."""

    def __init__(self, left, width, height, most_y, title="", names=(), most_x=0.0, least_x=0.0, x="", y="",
                 powers=False):
        self.left, self.right, self.log = left + 56, left + width - 16, powers
        self.least_x, self.most_x, self.most_y = least_x, most_x, most_y
        self.svg, self.bottom = [text((self.left + self.right) / 2, 44, title)], height - 46
        at, self.top = self.left, 62
        for name, colour, mark in names:
            wide = 34 + 7.2 * len(name)
            if at > self.left and at + wide > self.right: at, self.top = self.left, self.top + LINE
            self.sign(at + 12, self.top - 4, colour, mark)
            self.svg.append(text(at + 28, self.top, name, ""))
            at += wide
        self.top += 14
        for value in self.marks(most_y):
            self.svg.append(f'<path class="grid" d="M{self.left} {self.at_y(value):.1f}H{self.right}"/>')
            self.svg.append(text(self.left - 6, self.at_y(value) + 4, f"{value:g}", 'text-anchor="end"'))
        doubled = (2 ** k for k in range(math.ceil(math.log2(least_x)), 40, 2)) if powers else ()
        for value in [v for v in doubled if v <= most_x] if powers else self.marks(most_x):
            self.svg.append(f'<path class="grid" d="M{self.at_x(value):.1f} {self.top}V{self.bottom}"/>')
            self.svg.append(text(self.at_x(value), self.bottom + 16, f"{value:.0f}" if powers else f"{value:g}"))
        self.svg.append(f'<path class="axis" d="M{self.left} {self.top}V{self.bottom}H{self.right}"/>')
        self.svg.append(text((self.left + self.right) / 2, height - 10, x))
        place = f"translate({left + 14} {(self.top + self.bottom) / 2}) rotate(-90)"
        self.svg.append(text(0, 0, y, f'text-anchor="middle" transform="{place}"'))

    def marks(self, most):
        step = step_of(most) if most else 0
        return [k * step for k in range(int(most / step + 1.001))] if most else []

    def at_x(self, x):
        part = math.log2(x / self.least_x) / math.log2(self.most_x / self.least_x) if self.log else x / self.most_x
        return self.left + part * (self.right - self.left)

    def at_y(self, y): return self.bottom - y / self.most_y * (self.bottom - self.top)

    def sign(self, x, y, colour, mark):
        """What stands for a curve or a part of a bar in the legend; also a point of a curve."""
        if mark == "bar":
            self.svg.append(f'<rect x="{x - 6:.1f}" y="{y - 6:.1f}" width="12" height="12" fill="{colour}"/>')
        if mark in ("line", "dashed"):
            self.svg.append(f'<path class="{mark}" stroke="{colour}" d="M{x - 12:.1f} {y:.1f}h24"/>')
        if mark in ("points", "dashed"):
            self.svg.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="#fff" stroke="{colour}"/>')

    def limit(self, y, words):
        self.svg.append(f'<path class="limit" d="M{self.left} {self.at_y(y):.1f}H{self.right}"/>')
        self.svg.append(text(self.left + 10, self.at_y(y) - 5, words, ""))

    def curve(self, points, colour, mark):
        if mark != "points":
            way = "L".join(f"{self.at_x(x):.1f} {self.at_y(y):.1f}" for x, y in points)
            self.svg.append(f'<path class="{mark}" stroke="{colour}" d="M{way}"/>')
        for x, y in points if mark != "line" else (): self.sign(self.at_x(x), self.at_y(y), colour, "points")

    def bars(self, groups, width, values=False):
        """groups: (name, which may have lines, bars); a bar: its parts from below, (value, colour). values: above."""
        room = (self.right - self.left) / len(groups)
        for i, (name, bars) in enumerate(groups):
            middle = self.left + (i + 0.5) * room
            for k, line in enumerate(name.split("\n")): self.svg.append(text(middle, self.bottom + 16 + 14 * k, line))
            for k, bar in enumerate(bars):
                x, base = middle + (k - len(bars) / 2) * (width + 2) + 1, 0
                for value, colour in filter(all, bar):
                    top = self.at_y(base + value)
                    self.svg.append(f'<rect x="{x:.1f}" y="{top:.1f}" width="{width}" fill="{colour}" '
                                    f'height="{self.at_y(base) - top:.1f}"/>')
                    base += value
                if values and base: self.svg.append(text(x + width / 2, self.at_y(base) - 4, f"{base:.1f}"))


def picture(title, width, height, *panels):
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        'font-family="Helvetica, Arial, sans-serif" font-size="12">',
        '<style>path{fill:none;stroke-width:1.6}.grid{stroke:#dde1e7;stroke-width:1}.axis{stroke:#444;stroke-width:1}'
        '.dashed{stroke-dasharray:5 3}.limit{stroke:#888;stroke-width:1;stroke-dasharray:6 5}</style>',
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
        text(width / 2, 22, title, 'text-anchor="middle" font-weight="bold"'), *(line for panel in panels for line in panel.svg), "</svg>"]) + "\n"
