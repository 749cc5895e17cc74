// Setpoints from one example, eq. 13-14.
#pragma once

#include "methods/example_control/example_data.h"

namespace prehend::example_control {

// Joint accelerations that the fingers' own torques give, frame by frame: I^-1 (tau - tau_ARM -
// tau_G), in axis-angle coordinates, for frames [first, last].
Eigen::MatrixXd own_accelerations(const ExampleData& data, int first, int last);

// The right-hand side of eq. 14 for these frames: k_S theta + k_D theta' + I^-1 (tau - tau_ARM -
// tau_G - tau_P).
Eigen::MatrixXd setpoint_demand(const ExampleData& data, int first, int last,
                                const Eigen::MatrixXd& own_accelerations,
                                const Controller& controller);

// Fills in the setpoints of `controller`: least squares over all frames, a row of blends each.
void solve_setpoints(const Eigen::MatrixXd& blends, const Eigen::MatrixXd& demand,
                     Controller& controller);

// What the fitted model does by itself from a start: theta'' = demand met by the blends. The
// engine's hand does the same but for the torques of fingers that move each other.
Eigen::MatrixXd linear_response(const Eigen::MatrixXd& blends, double frame_rate,
                                const Eigen::VectorXd& angles, const Eigen::VectorXd& rates,
                                const Controller& controller);

}  // namespace prehend::example_control
