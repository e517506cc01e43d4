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
