// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "cell.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <stdexcept>
#include <string>

namespace nbody {

using namespace starling::array;

namespace {

// Direction d and kAround - 1 - d are opposite.
constexpr int kAcross[kAround] = {-1, 0, 1, -1, 1, -1, 0, 1};
constexpr int kUp[kAround] = {-1, -1, -1, 0, 0, 1, 1, 1};

int direction_of(int across, int up) {
  const int place = 3 * (up + 1) + across + 1;
  return place < 4 ? place : place - 1;
}

double wrapped(double x, double box) {
  if (x >= box) return x - box;
  if (x >= 0) return x;
  return x + box < box ? x + box : 0;
}

/// The shorter way around the box.
double shorter(double distance, double box) {
  if (distance > box / 2) return distance - box;
  return distance < -box / 2 ? distance + box : distance;
}

/// All particles at the start: half of them all over the box and at rest, the others in two discs
/// that move to the right, one faster than the other.
Particle particle_at_start(const Setup& setup, int id, std::mt19937_64& chance) {
  std::uniform_real_distribution<double> unit(0, 1);
  const double box = setup.across;
  Particle result;
  result.id = id;
  const double first = unit(chance);
  const double second = unit(chance);
  if (id % 2 == 0) {
    result.x = box * first;
    result.y = box * second;
    return result;
  }
  const bool is_fast = id % 4 == 1;
  const double angle = 2 * 3.14159265358979323846 * first;
  const double radius = box / 7 * std::sqrt(second);
  result.x = wrapped(box * 0.25 + radius * std::cos(angle), box);
  result.y = wrapped(box * (is_fast ? 0.3 : 0.7) + radius * std::sin(angle), box);
  result.vx = box * (is_fast ? 0.06 : 0.03);
  return result;
}

std::uint64_t bits_of(const Particle& particle) {
  std::uint64_t words[5];
  static_assert(sizeof words <= sizeof particle);
  std::memcpy(words, &particle, sizeof words);
  std::uint64_t bits = 14695981039346656037u;  // FNV-1a
  for (const std::uint64_t each : words) bits = (bits ^ each) * 1099511628211u;
  return bits;
}

}  // namespace

Target<Cell> Cell::neighbour(int direction) const {
  const auto [x, y] = index();
  const int box = setup_.across;
  return array()[{(x + kAcross[direction] + box) % box, (y + kUp[direction] + box) % box}];
}

void Cell::begin(const Setup& setup, const Future<void>& done) {
  setup_ = setup;
  done_ = done;
  const auto [x, y] = index();
  std::mt19937_64 chance(2026);
  for (int id = 0; id < setup.particles; ++id) {
    const Particle each = particle_at_start(setup, id, chance);
    if (static_cast<int>(each.x) == x && static_cast<int>(each.y) == y) particles_.push_back(each);
  }
  send_view();
  feel();
}

void Cell::advance(int until, const Future<void>& done) {
  until_ = until;
  done_ = done;
  drift();
}

void Cell::kick(Particle& particle) const {
  particle.vx += 0.5 * setup_.time_step * particle.fx;
  particle.vy += 0.5 * setup_.time_step * particle.fy;
}

void Cell::drift() {
  const auto [x, y] = index();
  const int box = setup_.across;
  std::array<std::vector<Particle>, kAround> leaving;
  std::vector<Particle> staying;
  for (Particle& each : particles_) {
    kick(each);
    each.x = wrapped(each.x + setup_.time_step * each.vx, box);
    each.y = wrapped(each.y + setup_.time_step * each.vy, box);
    const int across = (static_cast<int>(each.x) - x + box + 1) % box - 1;
    const int up = (static_cast<int>(each.y) - y + box + 1) % box - 1;
    if (across > 1 || up > 1) {
      throw std::runtime_error("particle " + std::to_string(each.id) +
                               " passed a whole cell in a step: take a shorter one");
    }
    (across == 0 && up == 0 ? staying : leaving[static_cast<std::size_t>(direction_of(across, up))]).push_back(each);
  }
  particles_ = std::move(staying);
  for (int to = 0; to < kAround; ++to) neighbour(to).send<&Cell::enter>(leaving[static_cast<std::size_t>(to)]);
  stage_ = Stage::kDrifted;
  settle();
}

void Cell::enter(const std::vector<Particle>& particles) {
  entering_.insert(entering_.end(), particles.begin(), particles.end());
  ++lists_;
  settle();
}

void Cell::settle() {
  if (stage_ != Stage::kDrifted || lists_ < kAround) return;
  lists_ = 0;
  particles_.insert(particles_.end(), entering_.begin(), entering_.end());
  entering_.clear();
  std::sort(particles_.begin(), particles_.end(), [](const Particle& a, const Particle& b) { return a.id < b.id; });
  send_view();
  feel();
}

void Cell::send_view() {
  std::vector<Point> points;
  points.reserve(particles_.size());
  for (const Particle& each : particles_) points.push_back({each.x, each.y});
  for (int to = 0; to < kAround; ++to) neighbour(to).send<&Cell::look>(kAround - 1 - to, points);
  stage_ = Stage::kSettled;
}

void Cell::look(int direction, const std::vector<Point>& points) {
  around_[static_cast<std::size_t>(direction)] = points;
  ++views_;
  feel();
}

void Cell::feel() {
  if (stage_ != Stage::kSettled || views_ < kAround) return;
  views_ = 0;
  potential_ = 0;
  for (std::size_t i = 0; i < particles_.size(); ++i) {
    Particle& each = particles_[i];
    each.fx = each.fy = 0;
    for (std::size_t j = 0; j < particles_.size(); ++j) {
      if (j != i) pull(each, {particles_[j].x, particles_[j].y});
    }
    for (const auto& points : around_) {
      for (const Point& other : points) pull(each, other);
    }
    if (step_ >= 0) kick(each);
  }
  stage_ = Stage::kIdle;
  if (++step_ < until_) return drift();
  contribute(done_);
  done_ = {};
}

void Cell::pull(Particle& particle, const Point& other) {
  const double dx = shorter(particle.x - other.x, setup_.across);
  const double dy = shorter(particle.y - other.y, setup_.across);
  const double q = dx * dx + dy * dy;
  if (q >= 1) return;
  const double near = 1 / (q + kSoftening);
  potential_ -= 0.5 * kPull * (1 - q) * (1 - q) * near;  // the other half at the other particle
  const double slope = kPull * (1 - q) * (1 + q + 2 * kSoftening) * near * near;
  particle.fx -= 2 * slope * dx;
  particle.fy -= 2 * slope * dy;
}

void Cell::census(const Future<Census>& total) {
  Census mine{0, potential_, 0, 0, 0, 0, static_cast<long>(particles_.size())};
  auto& [kinetic, potential, px, py, amount, bits, count] = mine;
  for (const Particle& each : particles_) {
    kinetic += 0.5 * (each.vx * each.vx + each.vy * each.vy);
    px += each.vx;
    py += each.vy;
    amount += std::hypot(each.vx, each.vy);
    bits += bits_of(each);
  }
  contribute(mine, CountIn{}, total);
}

void Cell::show(const Future<std::vector<View>>& views) {
  View view{index()[0], index()[1], rank(), {}};
  for (const Particle& each : particles_) view.points.push_back({each.x, each.y});
  contribute(std::vector<View>{view}, Concat{}, views);
}

}  // namespace nbody
