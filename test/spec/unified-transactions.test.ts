import { runAreas } from './unified/suite.js';

runAreas('sessions', 'transactions', 'transactions-convenient-api');
