/*
 * Icons of all pages, inlined at build time. From heroicons (MIT), except the two marks of the messengers, which are our
 * own drawings and not their logos.
 */
import arrowDown from 'heroicons/20/solid/arrow-down.svg?raw';
import arrowPath from 'heroicons/20/solid/arrow-path.svg?raw';
import arrowTopRight from 'heroicons/20/solid/arrow-top-right-on-square.svg?raw';
import arrowUp from 'heroicons/20/solid/arrow-up.svg?raw';
import bars from 'heroicons/24/outline/bars-3.svg?raw';
import bell from 'heroicons/24/outline/bell-alert.svg?raw';
import branch from 'heroicons/20/solid/arrows-right-left.svg?raw';
import bolt from 'heroicons/24/outline/bolt.svg?raw';
import book from 'heroicons/24/outline/book-open.svg?raw';
import calendar from 'heroicons/24/outline/calendar-days.svg?raw';
import chat from 'heroicons/24/outline/chat-bubble-left-right.svg?raw';
import check from 'heroicons/20/solid/check.svg?raw';
import checkCircle from 'heroicons/20/solid/check-circle.svg?raw';
import chevronLeft from 'heroicons/20/solid/chevron-left.svg?raw';
import chevronRight from 'heroicons/20/solid/chevron-right.svg?raw';
import clipboard from 'heroicons/20/solid/clipboard-document.svg?raw';
import clock from 'heroicons/20/solid/clock.svg?raw';
import cog from 'heroicons/24/outline/cog-6-tooth.svg?raw';
import cursor from 'heroicons/20/solid/cursor-arrow-rays.svg?raw';
import document from 'heroicons/24/outline/document-text.svg?raw';
import envelope from 'heroicons/20/solid/chat-bubble-left.svg?raw';
import exclamation from 'heroicons/20/solid/exclamation-triangle.svg?raw';
import identification from 'heroicons/24/outline/identification.svg?raw';
import flag from 'heroicons/20/solid/flag.svg?raw';
import home from 'heroicons/24/outline/home.svg?raw';
import key from 'heroicons/24/outline/key.svg?raw';
import link from 'heroicons/24/outline/link.svg?raw';
import list from 'heroicons/24/outline/queue-list.svg?raw';
import login from 'heroicons/24/outline/finger-print.svg?raw';
import megaphone from 'heroicons/24/outline/megaphone.svg?raw';
import minusCircle from 'heroicons/20/solid/minus-circle.svg?raw';
import photo from 'heroicons/24/outline/photo.svg?raw';
import plus from 'heroicons/20/solid/plus.svg?raw';
import repeat from 'heroicons/24/outline/arrow-path-rounded-square.svg?raw';
import search from 'heroicons/20/solid/magnifying-glass.svg?raw';
import signOut from 'heroicons/24/outline/arrow-right-start-on-rectangle.svg?raw';
import stack from 'heroicons/24/outline/rectangle-stack.svg?raw';
import tag from 'heroicons/24/outline/tag.svg?raw';
import users from 'heroicons/24/outline/users.svg?raw';
import video from 'heroicons/24/outline/film.svg?raw';
import xCircle from 'heroicons/20/solid/x-circle.svg?raw';
import xMark from 'heroicons/20/solid/x-mark.svg?raw';

/** A paper plane in a circle. */
const telegram = `<svg viewBox="0 0 24 24"><circle cx="12" cy="12" r="11" fill="#1f7fc0"/><path fill="#fff" d="M5.4 11.7 17.6 6.9c.6-.2 1.1.2.9.9l-2 9.6c-.1.7-.6.8-1.1.5l-3.1-2.3-1.5 1.5c-.3.3-.6.2-.7-.2l-.5-3.1 5.4-4.9-6.7 4.2-2.9-.9c-.6-.1-.6-.4 0-.5z"/></svg>`;
/** The letters MAX in a rounded square. */
const max = `<svg viewBox="0 0 24 24"><rect x="1" y="1" width="22" height="22" rx="6" fill="#5b3fd1"/><path fill="none" stroke="#fff" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round" d="M4 15V9l2 3 2-3v6M9.8 15l2.2-6 2.2 6M10.6 13.2h2.8M16 9l4 6M20 9l-4 6"/></svg>`;

export const icons = {
  arrowDown,
  arrowPath,
  arrowTopRight,
  arrowUp,
  bars,
  bell,
  bolt,
  book,
  branch,
  calendar,
  chat,
  check,
  checkCircle,
  chevronLeft,
  chevronRight,
  clipboard,
  clock,
  cog,
  cursor,
  document,
  envelope,
  exclamation,
  flag,
  home,
  identification,
  key,
  link,
  list,
  login,
  max,
  megaphone,
  minusCircle,
  photo,
  plus,
  repeat,
  search,
  signOut,
  stack,
  tag,
  telegram,
  users,
  video,
  xCircle,
  xMark,
} as const;

export type IconName = keyof typeof icons;
