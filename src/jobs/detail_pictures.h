// Pictures of a search: different solutions at the same moments (the paper's figure 1), the tree of
// what was tried, and how far the paths of a finger spread (figure 11).
#pragma once

#include "jobs/detail_value.h"
#include "prehend/picture/picture.h"

namespace prehend::jobs {

// A row a solution, those of other clusters first, and a column a moment. Forces are drawn.
picture::Image solutions_sheet(const DetailFigures& figures, const picture::PictureOptions& picture,
                               const Monitor& monitor);

// Nodes over time, solutions dark and dead ends in the color of their cause; below it the dead ends
// of each cause by frame.
picture::Image tree_picture(const contact_sampling::SamplingReport& found, double frame_rate,
                            const std::string& title);

// Paths of the index finger's joint, the plain search above the improved one, on one scale.
picture::Image spread_picture(const contact_sampling::SamplingReport& plain,
                              const contact_sampling::SamplingReport& improved, double frame_rate);

}  // namespace prehend::jobs
