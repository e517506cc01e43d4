/** Small drawings of the messengers, for their buttons. */
const icons = {
  telegram:
    '<circle cx="12" cy="12" r="11" fill="#1f7fc0"/><path fill="#fff" d="M5.4 11.7 17.6 6.9c.6-.2 1.1.2.9.9l-2 9.6c-.1.7-.6.8-1.1.5l-3.1-2.3-1.5 1.5c-.3.3-.6.2-.7-.2l-.5-3.1 5.4-4.9-6.7 4.2-2.9-.9c-.6-.1-.6-.4 0-.5z"/>',
  max: '<rect x="1" y="1" width="22" height="22" rx="6" fill="#5b3fd6"/><path fill="none" stroke="#fff" stroke-width="2" stroke-linecap="round" stroke-linejoin="round" d="M5.5 16V8.5l6.5 6 6.5-6V16"/>',
};

export function iconOf(channel) {
  const drawing = icons[channel];
  return drawing ? `<svg class="icon" viewBox="0 0 24 24" aria-hidden="true">${drawing}</svg>` : '';
}
