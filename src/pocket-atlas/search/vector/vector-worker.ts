import { parentPort, workerData } from 'node:worker_threads';
import { buildGraph, type GraphJob } from './graph-job.js';
import { type MergeJob, mergeSegments } from './merge-job.js';

/** A worker thread for one job: what it allocates goes back to the system when it ends. */
const job = workerData as MergeJob | GraphJob;
parentPort?.postMessage(await (job.type === 'merge' ? mergeSegments(job) : buildGraph(job)));
