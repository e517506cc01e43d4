import './form.css';

/*
 * The page of a form works without this script, which only keeps a second click from sending the answers twice, and
 * moves the focus to what is wrong.
 */
const form = document.querySelector('form');
form?.addEventListener('submit', () => {
  const button = form.querySelector<HTMLButtonElement>('button[type=submit]');
  // After the browser has collected the fields. Coming back to the page restores it.
  setTimeout(() => button?.setAttribute('disabled', ''));
});
addEventListener('pageshow', () => form?.querySelector('button[type=submit]')?.removeAttribute('disabled'));
document.querySelector<HTMLElement>('.faults')?.focus();
