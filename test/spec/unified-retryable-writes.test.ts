import { runAreas } from './unified/suite.js';

runAreas('retryable-writes');
