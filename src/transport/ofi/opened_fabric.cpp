// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/ofi/opened_fabric.hpp"

#ifdef STARLING_HAS_OFI

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string_view>

#include "base/format.hpp"
#include "transport/ofi/kept_handlers.hpp"

namespace starling::transport::ofi {
namespace {

constexpr std::uint32_t kVersion = FI_VERSION(1, 11);
constexpr std::size_t kMostCompletions = 32;
constexpr std::size_t kCompletionsKept = 4096;
constexpr std::size_t kLongestRead = 64 * 1024 * 1024;

static_assert(sizeof(Buffer::for_provider) == sizeof(fi_context2), "providers write so much there");
static_assert(offsetof(Buffer, for_provider) == 0, "a completion has its address");

Buffer& buffer_of(void* context) noexcept { return *static_cast<Buffer*>(context); }

/// Whether an offer of libfabric has an address of this host in another network.
bool is_at(const fi_info& offer, const tcp::SocketAddress& own) {
  const auto* const there = static_cast<const sockaddr*>(offer.src_addr);
  if (there == nullptr || offer.src_addrlen < own.bytes() || there->sa_family != own.data()->sa_family) return false;
  const auto host = own.host_bytes();
  const auto* const first =
      static_cast<const std::byte*>(offer.src_addr) +
      (there->sa_family == AF_INET ? offsetof(sockaddr_in, sin_addr) : offsetof(sockaddr_in6, sin6_addr));
  return std::equal(host.begin(), host.end(), first);
}

bool has_socket_address(const fi_info& offer) noexcept {
  return offer.addr_format == FI_SOCKADDR || offer.addr_format == FI_SOCKADDR_IN ||
         offer.addr_format == FI_SOCKADDR_IN6;
}

/// Shared memory reaches no other node. libfabric's tcp;ofi_rxm before 1.18 lets connections hang while much goes both
/// ways; its successor is there beside it, by the name of net.
bool is_taken_unasked(const fi_info& offer) {
  const std::string_view provider = offer.fabric_attr->prov_name;
  return provider != "shm" && (provider != "tcp;ofi_rxm" || FI_MAJOR(offer.fabric_attr->prov_version) >= 118);
}

/// The provider that the user names, else the first one.
const char* chosen_provider(const fi_info* offers, const Settings& settings) {
  const fi_info* offer = offers;
  while (settings.provider.empty() && offer != nullptr && !is_taken_unasked(*offer)) offer = offer->next;
  return (offer != nullptr ? offer : offers)->fabric_attr->prov_name;
}

/// The first offer of a provider, or the one at the best address that this rank has otherwise. Null: it has none of
/// those addresses.
const fi_info* chosen(const fi_info* offers, const char* provider, std::span<const tcp::SocketAddress> own) {
  const auto is_of_provider = [provider](const fi_info* offer) {
    return std::strcmp(offer->fabric_attr->prov_name, provider) == 0;
  };
  while (!is_of_provider(offers)) offers = offers->next;
  if (!has_socket_address(*offers) || own.empty()) return offers;
  for (const tcp::SocketAddress& address : own) {
    for (const fi_info* offer = offers; offer != nullptr; offer = offer->next) {
      if (is_of_provider(offer) && is_at(*offer, address)) return offer;
    }
  }
  return nullptr;
}

void fill(fi_info& hints, const Settings& settings) {
  hints.caps = FI_MSG | FI_RMA;
  hints.mode = FI_CONTEXT | FI_CONTEXT2;
  hints.ep_attr->type = FI_EP_RDM;
  hints.tx_attr->msg_order = FI_ORDER_SAS;
  hints.rx_attr->msg_order = FI_ORDER_SAS;
  hints.domain_attr->threading = FI_THREAD_DOMAIN;
  hints.domain_attr->resource_mgmt = FI_RM_ENABLED;
  hints.domain_attr->mr_mode = FI_MR_LOCAL | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_VIRT_ADDR | FI_MR_ENDPOINT;
  // libfabric frees it.
  if (!settings.provider.empty()) hints.fabric_attr->prov_name = strdup(settings.provider.c_str());
}

struct Region final : Registration {
  Owned<fid_mr> region;
};

std::string asked_for(const Settings& settings) {
  return settings.provider.empty() ? std::string("STARLING_NET=ofi")
                                   : formatted("STARLING_OFI_PROVIDER={}", settings.provider);
}

}  // namespace

Result<std::unique_ptr<Fabric>> Fabric::open(const Settings& settings, std::span<const tcp::SocketAddress> own) {
  const KeptHandlers kept;
  Result<Library> library = Library::open();
  if (!library.ok()) return std::move(library).status();
  const Library& known = library.value();
  using Info = std::unique_ptr<fi_info, decltype(&fi_freeinfo)>;
  const Info hints(known.dupinfo(nullptr), known.freeinfo);
  if (!hints) return Status::error(ErrorClass::kNoMem, "there is no memory to ask libfabric for a provider");
  fill(*hints, settings);
  fi_info* found = nullptr;
  int code = known.getinfo(kVersion, nullptr, nullptr, 0, hints.get(), &found);
  if (code != 0) {
    hints->caps &= ~static_cast<std::uint64_t>(FI_RMA);
    code = known.getinfo(kVersion, nullptr, nullptr, 0, hints.get(), &found);
  }
  const Info offers(found, known.freeinfo);
  if (code != 0) {
    return Status::error(
        ErrorClass::kOther,
        formatted("{} is not possible: libfabric has no such provider on this host that sends messages in order to "
                  "other nodes ({}). 'fi_info' lists those that there are (on Debian in the package libfabric-bin)",
                  asked_for(settings), known.strerror(-code)));
  }
  const char* const provider = chosen_provider(offers.get(), settings);
  const fi_info* const offer = chosen(offers.get(), provider, own);
  if (offer == nullptr) {
    return Status::error(ErrorClass::kOther,
                         formatted("{} is not possible: libfabric's provider {} has none of the addresses at which "
                                   "other nodes reach this one, of which the first is {}",
                                   asked_for(settings), provider, own.front().host()));
  }
  auto opened = std::make_unique<OpenedFabric>(known, known.dupinfo(offer));
  STARLING_TRY(opened->open());
  return std::unique_ptr<Fabric>(std::move(opened));
}

Status OpenedFabric::failure(const char* what, std::int64_t code) const {
  return Status::error(
      ErrorClass::kOther,
      formatted("libfabric's provider {} cannot {}: {}. STARLING_OFI_PROVIDER names another one, and "
                "STARLING_NET=tcp does without",
                info_->fabric_attr->prov_name, what, library_.strerror(static_cast<int>(code < 0 ? -code : code))));
}

Status OpenedFabric::open() {
  fid_fabric* fabric = nullptr;
  if (const int code = library_.fabric(info_->fabric_attr, &fabric, nullptr); code != 0)
    return failure("be opened", code);
  fabric_.reset(fabric);
  fid_domain* domain = nullptr;
  if (const int code = fi_domain(fabric, info_.get(), &domain, nullptr); code != 0) return failure("be opened", code);
  domain_.reset(domain);
  STARLING_TRY(open_queue());
  fi_av_attr of_places{};
  of_places.type = info_->domain_attr->av_type;
  fid_av* places = nullptr;
  if (const int code = fi_av_open(domain, &of_places, &places, nullptr); code != 0)
    return failure("keep addresses", code);
  places_.reset(places);
  fid_ep* endpoint = nullptr;
  if (const int code = fi_endpoint(domain, info_.get(), &endpoint, nullptr); code != 0)
    return failure("make an endpoint", code);
  endpoint_.reset(endpoint);
  int code = fi_ep_bind(endpoint, &queue_->fid, FI_TRANSMIT | FI_RECV);
  if (code == 0) code = fi_ep_bind(endpoint, &places_->fid, 0);
  if (code == 0) code = fi_enable(endpoint);
  std::size_t bytes = sizeof introduction_.address;
  if (code == 0) code = fi_getname(&endpoint->fid, introduction_.address, &bytes);
  if (code != 0) return failure("make an endpoint", code);
  introduction_.address_bytes = static_cast<std::uint32_t>(bytes);
  introduction_.format = info_->addr_format;
  std::strncpy(introduction_.provider, info_->fabric_attr->prov_name, sizeof introduction_.provider - 1);
  return {};
}

Status OpenedFabric::open_queue() {
  fi_cq_attr of_queue{};
  of_queue.size = kCompletionsKept;
  of_queue.format = FI_CQ_FORMAT_MSG;
  of_queue.wait_obj = FI_WAIT_FD;
  fid_cq* queue = nullptr;
  int code = fi_cq_open(domain_.get(), &of_queue, &queue, nullptr);
  if (code == 0 && fi_control(&queue->fid, FI_GETWAIT, &descriptor_) != 0) descriptor_ = -1;
  if (code != 0) {  // it wakes nobody
    of_queue.wait_obj = FI_WAIT_NONE;
    code = fi_cq_open(domain_.get(), &of_queue, &queue, nullptr);
  }
  if (code != 0) return failure("make a queue of completions", code);
  queue_.reset(queue);
  return {};
}

Status OpenedFabric::register_slab(Slab& slab, Buffer::Purpose purpose) {
  if ((info_->domain_attr->mr_mode & FI_MR_LOCAL) == 0) return {};
  const std::uint64_t access = purpose == Buffer::Purpose::kSend ? FI_SEND : FI_RECV;
  Owned<fid_mr> made;
  const int code = register_for(slab.memory.get(), slab.buffers.size() * kPacketBytes, access, made);
  if (code != 0) return failure("register memory", code);
  for (Buffer& buffer : slab.buffers) buffer.description = fi_mr_desc(made.get());
  registered_.push_back(std::move(made));
  return {};
}

int OpenedFabric::register_for(void* memory, std::size_t bytes, std::uint64_t access, Owned<fid_mr>& made) {
  fid_mr* region = nullptr;
  int code = fi_mr_reg(domain_.get(), memory, bytes, access, 0, next_key_++, 0, &region, nullptr);
  if (code != 0) return code;
  made.reset(region);
  if ((info_->domain_attr->mr_mode & FI_MR_ENDPOINT) == 0) return 0;
  code = fi_mr_bind(region, &endpoint_->fid, 0);
  return code != 0 ? code : fi_mr_enable(region);
}

// Where 16 go each way at once, sockets of libfabric 1.17 at times holds back for ever what goes one way.
std::uint32_t OpenedFabric::most_under_way() const noexcept {
  return std::string_view(info_->fabric_attr->prov_name) == "sockets" ? 3 : 16;
}

// libfabric 1.17's net loses a frame now and then while long messages are read.
std::size_t OpenedFabric::longest_read() const noexcept {
  if (std::string_view(info_->fabric_attr->prov_name) == "net") return 0;
  return (info_->caps & FI_RMA) != 0 && info_->domain_attr->mr_key_size <= sizeof(Registration::key)
             ? std::min(info_->ep_attr->max_msg_size, kLongestRead)
             : 0;
}

std::unique_ptr<Registration> OpenedFabric::register_memory(void* memory, std::size_t bytes, Access access) {
  auto made = std::make_unique<Region>();
  const bool by_others = access == Access::kReadByOthers;
  if (!by_others && (info_->domain_attr->mr_mode & FI_MR_LOCAL) == 0) return made;
  if (register_for(memory, bytes, by_others ? FI_REMOTE_READ : FI_READ, made->region) != 0) return nullptr;
  made->description = fi_mr_desc(made->region.get());
  made->key = fi_mr_key(made->region.get());
  if ((info_->domain_attr->mr_mode & FI_MR_VIRT_ADDR) != 0) made->address = reinterpret_cast<std::uint64_t>(memory);
  return !by_others || made->key != FI_KEY_NOTAVAIL ? std::move(made) : nullptr;
}

Outcome OpenedFabric::read(Place from, Buffer& buffer, const Read& read) {
  return outcome_of(fi_read(endpoint_.get(), read.into, read.bytes, read.description, from, read.address, read.key,
                            buffer.for_provider));
}

Status OpenedFabric::allocate(std::size_t count, Buffer::Purpose purpose, std::vector<Buffer*>& made) {
  Slab slab{std::make_unique_for_overwrite<std::byte[]>(count * kPacketBytes), std::vector<Buffer>(count)};
  STARLING_TRY(register_slab(slab, purpose));
  for (std::size_t i = 0; i < count; ++i) {
    slab.buffers[i].data = slab.memory.get() + i * kPacketBytes;
    slab.buffers[i].purpose = purpose;
    made.push_back(&slab.buffers[i]);
  }
  slabs_.push_back(std::move(slab));
  return {};
}

std::optional<Place> OpenedFabric::insert(const Introduction& peer) {
  fi_addr_t place = FI_ADDR_UNSPEC;
  const int inserted = fi_av_insert(places_.get(), peer.address, 1, &place, 0, nullptr);
  return inserted == 1 ? std::optional<Place>(place) : std::nullopt;
}

Outcome OpenedFabric::outcome_of(std::int64_t code) {
  if (code == 0) return Outcome::kDone;
  if (code == -FI_EAGAIN) return Outcome::kNotNow;
  last_error_ = library_.strerror(static_cast<int>(-code));
  return Outcome::kFailed;
}

Outcome OpenedFabric::inject(Place to, const void* data, std::size_t bytes) {
  return outcome_of(fi_inject(endpoint_.get(), data, bytes, to));
}

Outcome OpenedFabric::send(Place to, Buffer& buffer, std::size_t bytes) {
  return outcome_of(fi_send(endpoint_.get(), buffer.data, bytes, buffer.description, to, buffer.for_provider));
}

Outcome OpenedFabric::receive(Buffer& buffer) {
  return outcome_of(
      fi_recv(endpoint_.get(), buffer.data, kPacketBytes, buffer.description, FI_ADDR_UNSPEC, buffer.for_provider));
}

Completion OpenedFabric::failed_completion() {
  fi_cq_err_entry entry{};
  if (fi_cq_readerr(queue_.get(), &entry, 0) != 1) return {};  // it is gone
  char text[160] = "";
  const char* const of_provider =
      fi_cq_strerror(queue_.get(), entry.prov_errno, entry.err_data, static_cast<char*>(text), sizeof text);
  last_error_ = library_.strerror(entry.err);
  if (entry.prov_errno != entry.err && of_provider != nullptr && *of_provider != 0)
    last_error_ += formatted(", {}", of_provider);
  return {static_cast<Buffer*>(entry.op_context), 0, true};
}

std::size_t OpenedFabric::poll(std::span<Completion> found) {
  fi_cq_msg_entry entries[kMostCompletions];
  const std::int64_t read = fi_cq_read(queue_.get(), entries, std::min(found.size(), kMostCompletions));
  if (read == -FI_EAVAIL) {
    found.front() = failed_completion();
    return found.front().failed ? 1 : 0;
  }
  if (read <= 0) return 0;
  for (std::int64_t i = 0; i < read; ++i) {
    found[static_cast<std::size_t>(i)] = {&buffer_of(entries[i].op_context), entries[i].len, false};
  }
  return static_cast<std::size_t>(read);
}

bool OpenedFabric::arm() {
  fid* waits = &queue_->fid;
  return fi_trywait(fabric_.get(), &waits, 1) == FI_SUCCESS;
}

}  // namespace starling::transport::ofi

#else

#include "transport/ofi/fabric.hpp"

namespace starling::transport::ofi {

Result<std::unique_ptr<Fabric>> Fabric::open(const Settings& /*settings*/,
                                             std::span<const tcp::SocketAddress> /*own*/) {
  return Status::error(
      ErrorClass::kOther,
      "STARLING_NET=ofi is not possible: this Starling has been built without libfabric. Build it where "
      "its headers are installed, on Debian by the package libfabric-dev, or take STARLING_NET=tcp");
}

}  // namespace starling::transport::ofi

#endif
