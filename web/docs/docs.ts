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
setUpMenu();

/** A long menu begins at the page that is open; where it is folded, once it is open, and a link in it folds it again. */
function setUpMenu(): void {
  const menu = document.querySelector<HTMLElement>('.contents');
  const current = menu?.querySelector<HTMLElement>('[aria-current]');
  if (!menu) return;
  const showCurrentEntry = () => {
    if (current) menu.scrollTop = current.offsetTop - menu.clientHeight / 3;
  };
  showCurrentEntry();
  menu.addEventListener('toggle', showCurrentEntry);
  menu.addEventListener('click', ({ target }) => {
    if (target instanceof Element && target.closest('a') && menu.matches(':popover-open')) menu.hidePopover();
  });
}
