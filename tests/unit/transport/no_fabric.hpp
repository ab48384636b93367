// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// A Fabric that carries nothing, for tests of what stands on one.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "transport/ofi/fabric.hpp"

namespace starling::transport::ofi {

/// Takes all that it is given, and completes nothing.
class NoFabric : public Fabric {
 public:
  [[nodiscard]] const Introduction& introduction() const noexcept override { return introduction_; }
  [[nodiscard]] std::optional<Place> insert(const Introduction& /*peer*/) override { return std::nullopt; }
  [[nodiscard]] std::uint32_t most_under_way() const noexcept override { return 16; }
  [[nodiscard]] std::size_t most_injected() const noexcept override { return 0; }
  [[nodiscard]] Outcome inject(Place /*to*/, const void* /*data*/, std::size_t /*bytes*/) override {
    return Outcome::kDone;
  }
  [[nodiscard]] Outcome send(Place /*to*/, Buffer& /*buffer*/, std::size_t /*bytes*/) override {
    return Outcome::kDone;
  }
  [[nodiscard]] Outcome receive(Buffer& /*buffer*/) override { return takes ? Outcome::kDone : Outcome::kNotNow; }
  [[nodiscard]] Status allocate(std::size_t /*count*/, Buffer::Purpose /*purpose*/,
                                std::vector<Buffer*>& /*made*/) override {
    return {};
  }
  [[nodiscard]] std::size_t longest_read() const noexcept override { return 0; }
  [[nodiscard]] std::unique_ptr<Registration> register_memory(void* /*memory*/, std::size_t /*bytes*/,
                                                              Access /*access*/) override {
    return nullptr;
  }
  [[nodiscard]] Outcome read(Place /*from*/, Buffer& /*buffer*/, const Read& /*read*/) override {
    return Outcome::kFailed;
  }
  [[nodiscard]] std::size_t poll(std::span<Completion> /*found*/) override { return 0; }
  [[nodiscard]] const std::string& last_error() const noexcept override { return error_; }
  [[nodiscard]] int descriptor() const noexcept override { return -1; }
  [[nodiscard]] bool arm() override { return true; }

  bool takes = true;

 private:
  Introduction introduction_;
  std::string error_;
};

}  // namespace starling::transport::ofi
