import { render } from 'preact';
import { Dashboard } from './dashboard.js';
import { takeOneTimeCode } from './session/one-time-login.js';
import { stillness } from './data/stillness.js';
import './style.css';

stillness.follow(document);
const page = document.getElementById('page');
if (page !== null) render(<Dashboard code={takeOneTimeCode()} />, page);
