// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// OpenedFabric: the Fabric that libfabric gives. Thread safety, invariants: as Fabric.
#pragma once

#ifdef STARLING_HAS_OFI

#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "transport/ofi/fabric.hpp"
#include "transport/ofi/library.hpp"

namespace starling::transport::ofi {

/// Closes an object of libfabric.
struct Close {
  template <typename Object>
  void operator()(Object* object) const noexcept {
    fi_close(&object->fid);
  }
};
template <typename Object>
using Owned = std::unique_ptr<Object, Close>;

class OpenedFabric final : public Fabric {
 public:
  OpenedFabric(const Library& library, fi_info* info) noexcept : library_(library), info_(info, library.freeinfo) {}
  Status open();

  [[nodiscard]] const Introduction& introduction() const noexcept override { return introduction_; }
  [[nodiscard]] std::optional<Place> insert(const Introduction& peer) override;
  [[nodiscard]] std::uint32_t most_under_way() const noexcept override;
  [[nodiscard]] std::size_t most_injected() const noexcept override { return info_->tx_attr->inject_size; }
  [[nodiscard]] Outcome inject(Place to, const void* data, std::size_t bytes) override;
  [[nodiscard]] Outcome send(Place to, Buffer& buffer, std::size_t bytes) override;
  [[nodiscard]] Outcome receive(Buffer& buffer) override;
  [[nodiscard]] Status allocate(std::size_t count, Buffer::Purpose purpose, std::vector<Buffer*>& made) override;
  [[nodiscard]] std::size_t longest_read() const noexcept override;
  [[nodiscard]] std::unique_ptr<Registration> register_memory(void* memory, std::size_t bytes, Access access) override;
  [[nodiscard]] Outcome read(Place from, Buffer& buffer, const Read& read) override;
  [[nodiscard]] std::size_t poll(std::span<Completion> found) override;
  [[nodiscard]] const std::string& last_error() const noexcept override { return last_error_; }
  [[nodiscard]] int descriptor() const noexcept override { return descriptor_; }
  [[nodiscard]] bool arm() override;

 private:
  /// Buffers that were made at once, and their registration.
  struct Slab {
    std::unique_ptr<std::byte[]> memory;
    std::vector<Buffer> buffers;
  };

  Status failure(const char* what, std::int64_t code) const;
  Status open_queue();
  Status register_slab(Slab& slab, Buffer::Purpose purpose);
  /// 0, or why not.
  int register_for(void* memory, std::size_t bytes, std::uint64_t access, Owned<fid_mr>& made);
  [[nodiscard]] Outcome outcome_of(std::int64_t code);
  [[nodiscard]] Completion failed_completion();

  Library library_;
  std::unique_ptr<fi_info, decltype(&fi_freeinfo)> info_;
  Introduction introduction_;
  std::vector<Slab> slabs_;
  std::uint64_t next_key_ = 1;
  int descriptor_ = -1;
  std::string last_error_;
  // The provider lets go of the last one first.
  Owned<fid_fabric> fabric_;
  Owned<fid_domain> domain_;
  Owned<fid_cq> queue_;
  Owned<fid_av> places_;
  std::vector<Owned<fid_mr>> registered_;
  Owned<fid_ep> endpoint_;
};

}  // namespace starling::transport::ofi

#endif
