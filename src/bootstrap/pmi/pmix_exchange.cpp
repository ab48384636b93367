// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "bootstrap/pmi/pmix_exchange.hpp"

#ifdef STARLING_HAS_PMIX

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <future>
#include <optional>
#include <utility>

#include "base/format.hpp"
#include "bootstrap/pmi/node_map.hpp"
#include "bootstrap/pmi/pmix_library.hpp"

namespace starling::bootstrap {
namespace {

/// Frees a value that the library has returned.
struct FreeValue {
  void operator()(pmix_value_t* value) const noexcept {
    if (value->type == PMIX_STRING) std::free(value->data.string);
    std::free(value);
  }
};
using Value = std::unique_ptr<pmix_value_t, FreeValue>;

class Client {
 public:
  static Result<Client> open() {
    Result<PmixLibrary> pmix = PmixLibrary::open();
    if (!pmix.ok()) return std::move(pmix).status();
    Client client(pmix.value());
    const pmix_status_t status = client.pmix_.init(&client.self_, nullptr, 0);
    if (status != PMIX_SUCCESS) return client.failed("PMIx_Init", status);
    return client;
  }

  [[nodiscard]] const PmixLibrary& pmix() const noexcept { return pmix_; }
  [[nodiscard]] std::uint32_t rank() const noexcept { return self_.rank; }

  [[nodiscard]] Status failed(const std::string& what, pmix_status_t status) const {
    return Status::error(ErrorClass::kOther,
                         formatted("the launcher's PMIx refuses {}: {}", what, pmix_.error_string(status)));
  }
  /// rank: its owner, or PMIX_RANK_WILDCARD for what is the job's.
  Result<Value> get(std::uint32_t rank, const char* key) const {
    pmix_proc_t owner = self_;
    owner.rank = rank;
    pmix_value_t* value = nullptr;
    const pmix_status_t status = pmix_.get(&owner, key, nullptr, 0, &value);
    if (status != PMIX_SUCCESS || value == nullptr) return failed(formatted("PMIx_Get of {}", key), status);
    return Value(value);
  }
  Result<std::string> get_text(std::uint32_t rank, const char* key) const {
    Result<Value> value = get(rank, key);
    if (!value.ok()) return std::move(value).status();
    const bool is_text = value.value()->type == PMIX_STRING && value.value()->data.string != nullptr;
    if (is_text) return std::string(value.value()->data.string);
    return failed(formatted("a text for {}", key), PMIX_ERR_TYPE_MISMATCH);
  }
  Result<std::int32_t> get_number(std::uint32_t rank, const char* key) const {
    Result<Value> value = get(rank, key);
    if (!value.ok()) return std::move(value).status();
    if (value.value()->type == PMIX_UINT32) return static_cast<std::int32_t>(value.value()->data.uint32);
    return failed(formatted("a number for {}", key), PMIX_ERR_TYPE_MISMATCH);
  }

 private:
  explicit Client(PmixLibrary pmix) noexcept : pmix_(pmix) {}

  PmixLibrary pmix_;
  pmix_proc_t self_{};
};

using FenceEnd = std::promise<pmix_status_t>;

/// Called by the library's thread, maybe when nobody waits any more.
void on_fence_end(pmix_status_t status, void* end) {
  std::unique_ptr<FenceEnd>(static_cast<FenceEnd*>(end))->set_value(status);
}

std::string full_key(std::string_view key) { return "starling." + std::string(key); }

class PmixExchange final : public Exchange {
 public:
  PmixExchange(Place place, Client client, std::int64_t deadline_ms)
      : Exchange(std::move(place), deadline_ms), client_(client) {}

  Status put(std::string_view key, const std::string& value) override {
    std::string text = value;
    pmix_value_t wrapped{};
    wrapped.type = PMIX_STRING;
    wrapped.data.string = text.data();
    const pmix_status_t status = client_.pmix().put(PMIX_GLOBAL, full_key(key).c_str(), &wrapped);
    return status == PMIX_SUCCESS ? Status() : client_.failed("PMIx_Put", status);
  }

  Status fence(std::string_view step) override {
    const pmix_status_t committed = client_.pmix().commit();
    if (committed != PMIX_SUCCESS) return client_.failed("PMIx_Commit", committed);
    pmix_info_t collect{};
    std::strncpy(collect.key, PMIX_COLLECT_DATA, sizeof collect.key - 1);
    collect.value.type = PMIX_BOOL;
    collect.value.data.flag = true;
    auto end = std::make_unique<FenceEnd>();
    std::future<pmix_status_t> ended = end->get_future();
    const pmix_status_t begun = client_.pmix().fence_nb(nullptr, 0, &collect, 1, on_fence_end, end.get());
    if (begun == PMIX_OPERATION_SUCCEEDED) return {};
    if (begun != PMIX_SUCCESS) return client_.failed("PMIx_Fence", begun);
    static_cast<void>(end.release());  // on_fence_end() has it
    if (!is_ready(ended)) return others_are_missing(step, "PMIx_Fence");
    const pmix_status_t status = ended.get();
    return status == PMIX_SUCCESS ? Status() : client_.failed("PMIx_Fence", status);
  }

  Result<std::string> get(WorldRank owner, std::string_view key) override {
    return client_.get_text(static_cast<std::uint32_t>(owner.value), full_key(key).c_str());
  }

  void abort(int code, std::string_view why) noexcept override {
    client_.pmix().abort(code, std::string(why).c_str(), nullptr, 0);
  }
  void finalize() noexcept override { client_.pmix().finalize(nullptr, 0); }

 private:
  /// By the deadline.
  [[nodiscard]] bool is_ready(const std::future<pmix_status_t>& ended) const {
    if (deadline_ms() <= 0) return ended.wait(), true;
    return ended.wait_for(std::chrono::milliseconds(deadline_ms())) == std::future_status::ready;
  }

  Client client_;
};

Result<Exchange::Place> place_of(const Client& client) {
  constexpr std::uint32_t kJob = PMIX_RANK_WILDCARD;
  Result<std::int32_t> size = client.get_number(kJob, PMIX_JOB_SIZE);
  if (!size.ok()) return std::move(size).status();
  Result<std::string> peers = client.get_text(kJob, PMIX_LOCAL_PEERS);
  if (!peers.ok()) return std::move(peers).status();
  Result<std::vector<WorldRank>> here = ranks_of_list(peers.value());
  if (!here.ok()) return std::move(here).status();
  const Result<std::int32_t> app = client.get_number(client.rank(), PMIX_APPNUM);
  return Exchange::Place{WorldRank(client.rank()), size.value(), app.ok() ? app.value() : 0, std::move(here).value()};
}

}  // namespace

Result<std::unique_ptr<Exchange>> open_pmix(std::int64_t deadline_ms) {
  Result<Client> client = Client::open();
  if (!client.ok()) return std::move(client).status();
  Result<Exchange::Place> place = place_of(client.value());
  if (!place.ok()) return std::move(place).status();
  return std::unique_ptr<Exchange>(new PmixExchange(std::move(place).value(), client.value(), deadline_ms));
}

}  // namespace starling::bootstrap

#else

namespace starling::bootstrap {

Result<std::unique_ptr<Exchange>> open_pmix(std::int64_t /*deadline_ms*/) {
  return Status::error(ErrorClass::kOther,
                       "this Starling has been built without PMIx (-DSTARLING_PMIX=OFF). Build it where pmix.h is "
                       "installed, on Debian by the package libpmix-dev");
}

}  // namespace starling::bootstrap

#endif
