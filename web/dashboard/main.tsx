import { render } from 'preact';
import { App } from './app';
import './dashboard.css';

const root = document.querySelector('#app');
if (root) render(<App />, root);
