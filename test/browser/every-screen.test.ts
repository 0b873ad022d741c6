import { describeEveryPage, OTHER_SCREENS, TWO_SCREENS } from './pages.js';

describeEveryPage([...TWO_SCREENS, ...OTHER_SCREENS], 300);
