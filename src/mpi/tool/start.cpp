// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Start and end of the tool interface, its enumerations and categories.
// Source: MPI-5.0, chapters 15.3.4, 15.3.5 and 15.3.9.
#include <algorithm>

#include "api/calls.hpp"
#include "mpi/boundary/context.hpp"
#include "mpi/tool/event_types.hpp"
#include "mpi/tool/text.hpp"
#include "mpi/tool/tool.hpp"
#include "mpi/tool/variables.hpp"

namespace starling::mpi {
namespace {

int find_category(int index) { return unless(is_index(index, tool_categories().size()), MPI_T_ERR_INVALID_INDEX); }

int give_indices(int category, const std::vector<int>& all, int len, int* indices) {
  if (const int code = find_category(category)) return code;
  std::copy_n(all.begin(), std::min(all.size(), static_cast<std::size_t>(len)), indices);
  return MPI_SUCCESS;
}

}  // namespace

int t_init_thread(int required, int* provided) {
  // Calls of the tool interface always take a lock.
  *provided = std::clamp<int>(required, MPI_THREAD_SINGLE, MPI_THREAD_MULTIPLE);
  ++current()->tool_users;
  return MPI_SUCCESS;
}

int t_finalize() {
  Context& context = *current();
  if (--context.tool_users == 0) context.tool->drop_handles();
  return MPI_SUCCESS;
}

int t_enum_get_info(MPI_T_enum enumtype, int* num, char* name, int* name_len) {
  const ToolEnum* one = find_enum(enumtype);
  if (one == nullptr) return MPI_T_ERR_INVALID_HANDLE;
  give(num, one->items.size());
  give_text(one->name, name, name_len);
  return MPI_SUCCESS;
}

int t_enum_get_item(MPI_T_enum enumtype, int indx, int* value, char* name, int* name_len) {
  const ToolEnum* one = find_enum(enumtype);
  if (one == nullptr) return MPI_T_ERR_INVALID_HANDLE;
  if (!is_index(indx, one->items.size())) return MPI_T_ERR_INVALID_INDEX;
  const ToolEnumItem& item = one->items[static_cast<std::size_t>(indx)];
  give(value, item.value);
  give_text(item.name, name, name_len);
  return MPI_SUCCESS;
}

int t_category_get_num(int* num_cat) {
  *num_cat = static_cast<int>(tool_categories().size());
  return MPI_SUCCESS;
}

int t_category_get_info(int cat_index, char* name, int* name_len, char* desc, int* desc_len, int* num_cvars,
                        int* num_pvars, int* num_categories) {
  if (const int code = find_category(cat_index)) return code;
  const ToolCategory& category = tool_categories()[static_cast<std::size_t>(cat_index)];
  give_text(category.name, name, name_len);
  give_text(category.sentence, desc, desc_len);
  give(num_cvars, controls_in(cat_index).size());
  give(num_pvars, performances_in(cat_index).size());
  give(num_categories, categories_in(cat_index).size());
  return MPI_SUCCESS;
}

int t_category_get_index(const char* name, int* cat_index) {
  const auto& all = tool_categories();
  const auto found = std::find_if(all.begin(), all.end(), [&](const ToolCategory& one) { return one.name == name; });
  if (found == all.end()) return MPI_T_ERR_INVALID_NAME;
  *cat_index = static_cast<int>(found - all.begin());
  return MPI_SUCCESS;
}

int t_category_get_cvars(int cat_index, int len, int indices[]) {
  return give_indices(cat_index, controls_in(cat_index), len, indices);
}
int t_category_get_pvars(int cat_index, int len, int indices[]) {
  return give_indices(cat_index, performances_in(cat_index), len, indices);
}
int t_category_get_categories(int cat_index, int len, int indices[]) {
  return give_indices(cat_index, categories_in(cat_index), len, indices);
}
int t_category_get_events(int cat_index, int len, int indices[]) {
  return give_indices(cat_index, events_in(cat_index), len, indices);
}

int t_category_get_num_events(int cat_index, int* num_events) {
  if (const int code = find_category(cat_index)) return code;
  *num_events = static_cast<int>(events_in(cat_index).size());
  return MPI_SUCCESS;
}

int t_category_changed(int* update_number) {
  *update_number = 0;  // the lists never change
  return MPI_SUCCESS;
}

}  // namespace starling::mpi
