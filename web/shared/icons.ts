/* Icons of all pages, inlined at build time. From heroicons (MIT). Those of the messengers come from the API. */
import arrowDown from 'heroicons/20/solid/arrow-down.svg?raw';
import arrowPath from 'heroicons/20/solid/arrow-path.svg?raw';
import arrowTopRight from 'heroicons/20/solid/arrow-top-right-on-square.svg?raw';
import arrowUp from 'heroicons/20/solid/arrow-up.svg?raw';
import bars from 'heroicons/24/outline/bars-3.svg?raw';
import bell from 'heroicons/24/outline/bell-alert.svg?raw';
import branch from 'heroicons/20/solid/arrows-right-left.svg?raw';
import bold from 'heroicons/20/solid/bold.svg?raw';
import bolt from 'heroicons/24/outline/bolt.svg?raw';
import book from 'heroicons/24/outline/book-open.svg?raw';
import calendar from 'heroicons/24/outline/calendar-days.svg?raw';
import chat from 'heroicons/24/outline/chat-bubble-left-right.svg?raw';
import check from 'heroicons/20/solid/check.svg?raw';
import checkCircle from 'heroicons/20/solid/check-circle.svg?raw';
import chevronLeft from 'heroicons/20/solid/chevron-left.svg?raw';
import chevronRight from 'heroicons/20/solid/chevron-right.svg?raw';
import chevronUpDown from 'heroicons/20/solid/chevron-up-down.svg?raw';
import clipboard from 'heroicons/20/solid/clipboard-document.svg?raw';
import clipboardList from 'heroicons/24/outline/clipboard-document-list.svg?raw';
import clock from 'heroicons/20/solid/clock.svg?raw';
import code from 'heroicons/20/solid/code-bracket.svg?raw';
import cog from 'heroicons/24/outline/cog-6-tooth.svg?raw';
import cursor from 'heroicons/20/solid/cursor-arrow-rays.svg?raw';
import document from 'heroicons/24/outline/document-text.svg?raw';
import envelope from 'heroicons/20/solid/chat-bubble-left.svg?raw';
import exclamation from 'heroicons/20/solid/exclamation-triangle.svg?raw';
import funnel from 'heroicons/20/solid/funnel.svg?raw';
import inbox from 'heroicons/24/outline/inbox.svg?raw';
import identification from 'heroicons/24/outline/identification.svg?raw';
import flag from 'heroicons/20/solid/flag.svg?raw';
import home from 'heroicons/24/outline/home.svg?raw';
import italic from 'heroicons/20/solid/italic.svg?raw';
import key from 'heroicons/24/outline/key.svg?raw';
import link from 'heroicons/24/outline/link.svg?raw';
import linkSmall from 'heroicons/20/solid/link.svg?raw';
import list from 'heroicons/24/outline/queue-list.svg?raw';
import login from 'heroicons/24/outline/finger-print.svg?raw';
import megaphone from 'heroicons/24/outline/megaphone.svg?raw';
import minusCircle from 'heroicons/20/solid/minus-circle.svg?raw';
import pencil from 'heroicons/20/solid/pencil-square.svg?raw';
import photo from 'heroicons/24/outline/photo.svg?raw';
import plus from 'heroicons/20/solid/plus.svg?raw';
import repeat from 'heroicons/24/outline/arrow-path-rounded-square.svg?raw';
import search from 'heroicons/20/solid/magnifying-glass.svg?raw';
import signOut from 'heroicons/24/outline/arrow-right-start-on-rectangle.svg?raw';
import stack from 'heroicons/24/outline/rectangle-stack.svg?raw';
import tag from 'heroicons/24/outline/tag.svg?raw';
import users from 'heroicons/24/outline/users.svg?raw';
import userCircle from 'heroicons/24/outline/user-circle.svg?raw';
import video from 'heroicons/24/outline/film.svg?raw';
import xCircle from 'heroicons/20/solid/x-circle.svg?raw';
import xMark from 'heroicons/20/solid/x-mark.svg?raw';

export const icons = {
  arrowDown,
  arrowPath,
  arrowTopRight,
  arrowUp,
  bars,
  bell,
  bold,
  bolt,
  book,
  branch,
  calendar,
  chat,
  check,
  checkCircle,
  chevronLeft,
  chevronRight,
  chevronUpDown,
  clipboard,
  clipboardList,
  clock,
  code,
  cog,
  cursor,
  document,
  envelope,
  exclamation,
  flag,
  funnel,
  home,
  identification,
  inbox,
  italic,
  key,
  link,
  linkSmall,
  list,
  login,
  megaphone,
  minusCircle,
  pencil,
  photo,
  plus,
  repeat,
  search,
  signOut,
  stack,
  tag,
  userCircle,
  users,
  video,
  xCircle,
  xMark,
} as const;

export type IconName = keyof typeof icons;
