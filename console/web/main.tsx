import { render } from 'preact';
import { Dashboard } from './dashboard.js';

const page = document.getElementById('page');
if (page !== null) render(<Dashboard />, page);
