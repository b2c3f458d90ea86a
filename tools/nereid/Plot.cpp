#include "Plot.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace nereid::tool {

namespace {

constexpr double kWidth = 720, kHeight = 420, kLeft = 70, kRight = 20, kTop = 40, kBottom = 50;
constexpr const char *kColours[] = {"#1f77b4", "#d62728", "#2ca02c", "#9467bd",
                                    "#ff7f0e", "#8c564b", "#17becf", "#7f7f7f"};

std::string escapedXml(const std::string &text) {
  std::string result;
  for (char c : text)
    result += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : c == '"' ? "&quot;" : std::string(1, c);
  return result;
}

template <class... T> std::string format(const char *pattern, T... values) {
  char text[512];
  std::snprintf(text, sizeof text, pattern, values...);
  return text;
}

// 1, 2 or 5 times a power of ten, so that about five lines fit.
double stepFor(double top) {
  double raw = top / 5, power = std::pow(10, std::floor(std::log10(raw)));
  double factor = raw / power;
  return power * (factor <= 1 ? 1 : factor <= 2 ? 2 : factor <= 5 ? 5 : 10);
}

class Drawing {
public:
  explicit Drawing(const Plot &plot) : plot(plot) {
    bool isFirst = true;
    for (const PlotLine &line : plot.lines)
      for (auto [x, y] : line.points) {
        low = isFirst ? x : std::min(low, x), high = isFirst ? x : std::max(high, x);
        top = std::max(top, y);
        isFirst = false;
      }
    top = top > 0 ? top * 1.1 : 1;
  }

  std::string draw() {
    text = format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" font-family=\"sans-serif\" "
                  "font-size=\"12\">\n",
                  kWidth, kHeight);
    text += format("<rect width=\"%.0f\" height=\"%.0f\" fill=\"white\"/>\n", kWidth, kHeight);
    label(kWidth / 2, 20, "middle", plot.title);
    label(kWidth / 2, kHeight - 10, "middle", plot.xLabel);
    text += format("<text transform=\"translate(16,%.0f) rotate(-90)\" text-anchor=\"middle\">", kHeight / 2) +
            escapedXml(plot.yLabel) + "</text>\n";
    drawAxes();
    for (size_t i = 0; i < plot.lines.size(); ++i)
      drawLine(plot.lines[i], i);
    return text + "</svg>\n";
  }

private:
  double across(double x) const {
    double share = high > low && low > 0 ? std::log(x / low) / std::log(high / low) : 0.5;
    return kLeft + share * (kWidth - kLeft - kRight);
  }
  double down(double y) const { return kHeight - kBottom - y / top * (kHeight - kTop - kBottom); }

  void label(double x, double y, const char *anchor, const std::string &words) {
    text += format("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor) + escapedXml(words) + "</text>\n";
  }
  void stroke(double x1, double y1, double x2, double y2, const char *colour) {
    text += format("<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\"/>\n", x1, y1, x2, y2, colour);
  }

  void drawAxes() {
    double step = stepFor(top);
    for (double y = 0; y <= top; y += step) {
      stroke(kLeft, down(y), kWidth - kRight, down(y), "#ddd");
      label(kLeft - 6, down(y) + 4, "end", format("%g", y));
    }
    std::vector<double> places;
    for (const PlotLine &line : plot.lines)
      for (auto [x, y] : line.points)
        places.push_back(x);
    std::ranges::sort(places);
    places.erase(std::unique(places.begin(), places.end()), places.end());
    for (double x : places)
      label(across(x), kHeight - kBottom + 18, "middle", format("%g", x));
  }

  void drawLine(const PlotLine &line, size_t index) {
    const char *colour = line.isLimit ? "#555" : kColours[index % std::size(kColours)];
    text += format("<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\"%s points=\"", colour,
                   line.isLimit ? " stroke-dasharray=\"6,4\"" : "");
    for (auto [x, y] : line.points)
      text += format("%.1f,%.1f ", across(x), down(y));
    text += "\"/>\n";
    for (auto [x, y] : line.points)
      if (!line.isLimit)
        text += format("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>\n", across(x), down(y), colour);
    double y = kTop + 14 * static_cast<double>(index);
    stroke(kLeft + 10, y, kLeft + 34, y, colour);
    label(kLeft + 40, y + 4, "start", line.name);
  }

  const Plot &plot;
  double low = 1, high = 1, top = 0;
  std::string text;
};

} // namespace

std::string svgOf(const Plot &plot) { return Drawing(plot).draw(); }

} // namespace nereid::tool
