/** Texts of the primitives and of their gallery. */

export const GALLERY: Record<string, string> = {
  "Absolute times are shown here": "此处显示绝对时间",
  "Account {user}": "账号 {user}",
  Filters: "筛选",
  Gallery: "组件一览",
  List: "列表",
  "More acts": "更多操作",
  "Open the dialog": "打开对话框",
  "Open the sheet": "打开侧栏",
  "Show a message": "显示消息",
  "The primitives of the page, in their states.": "页面的基本组件及其各种状态。",
  "in {time}": "{time}后",
};
