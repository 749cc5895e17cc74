// How the objects of a manipulation moved, as a plot.
#pragma once

#include "prehend/methods/manipulation/manipulation.h"
#include "prehend/picture/picture.h"

namespace prehend::jobs {

// Above how far each free object's center is from where it was when the hands had gripped, along
// the three axes, below its speed, over the task's time.
picture::Image manipulate_plot(const manipulation::Report& result, const std::string& title);

}  // namespace prehend::jobs
