import { render } from 'preact';
import { App } from './app';
import './dashboard.css';
import { applyTheme } from './theme';

applyTheme();

const root = document.querySelector('#app');
if (root) render(<App />, root);
