import { testPart } from './random-stories.js';

testPart(2);
