import { render } from 'preact';
import { Dashboard } from './dashboard.js';
import { takeOneTimeCode } from './one-time-login.js';
import './style.css';

const page = document.getElementById('page');
if (page !== null) render(<Dashboard code={takeOneTimeCode()} />, page);
