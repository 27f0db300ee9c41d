import { runAreas } from './unified/suite.js';

runAreas('collection-management', 'crud', 'index-management', 'run-command');
