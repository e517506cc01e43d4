import './docs.css';
import { setUpCopy } from './copy';
import { setUpMovedAnchors } from './moved';
import { setUpSearch } from './search';
import { setUpSignature } from './signature';
import { setUpSwitch } from './switch';
import { setUpTabs } from './tabs';
import { setUpTryIt } from './try-it';

setUpMovedAnchors();
setUpTabs();
setUpCopy();
setUpTryIt();
setUpSignature();
setUpSearch();
setUpSwitch();
showCurrentEntry();

/** A long menu begins at the page that is open. */
function showCurrentEntry(): void {
  const menu = document.querySelector<HTMLElement>('.contents');
  const current = menu?.querySelector<HTMLElement>('[aria-current]');
  if (menu && current) menu.scrollTop = current.offsetTop - menu.clientHeight / 3;
}
