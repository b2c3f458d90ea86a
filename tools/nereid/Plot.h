// Plot.h: lines over sizes as an SVG picture, readable without any program but a browser.
#pragma once

#include <string>
#include <vector>

namespace nereid::tool {

struct PlotLine {
  std::string name;
  std::vector<std::pair<double, double>> points; // x ascending
  bool isLimit = false;                          // drawn as a dashed line
};

struct Plot {
  std::string title, xLabel, yLabel;
  std::vector<PlotLine> lines;
};

// x is drawn by its logarithm, y from zero.
std::string svgOf(const Plot &plot);

} // namespace nereid::tool
