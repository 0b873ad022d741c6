import { describeEveryPage, TWO_SCREENS } from './pages.js';

describeEveryPage(TWO_SCREENS, 60);
