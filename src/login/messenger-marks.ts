import type { Channel } from '../contract/common';
import { html, type Html } from '../http/html';

/** Marks of the messengers in the colour of the text: a paper plane and the letters MAX. Our own drawings. */
export const messengerMarks: Record<Channel, Html> = {
  telegram: html`<svg class="mark" viewBox="0 0 24 24" aria-hidden="true">
    <path
      fill="currentColor"
      d="M2.6 11.6 20 4.7c.8-.3 1.6.3 1.3 1.3l-2.9 13.6c-.2.9-.9 1.2-1.6.7l-4.4-3.2-2.1 2c-.4.5-.9.3-1-.3l-.7-4.4 7.6-6.9-9.5 5.9-4.1-1.2c-.9-.2-.9-.5 0-.6z"
    />
  </svg>`,
  max: html`<svg class="mark" viewBox="0 0 24 24" aria-hidden="true">
    <rect x="1.5" y="4" width="21" height="16" rx="5" fill="none" stroke="currentColor" stroke-width="1.6" />
    <path
      fill="none"
      stroke="currentColor"
      stroke-width="1.5"
      stroke-linecap="round"
      stroke-linejoin="round"
      d="M4.6 15V9.2l1.9 2.9 1.9-2.9V15M10 15l2-5.8 2 5.8m-3.3-1.7h2.6M15.8 9.2l3.6 5.8m0-5.8L15.8 15"
    />
  </svg>`,
};
