/** The five algorithms of LDBC Graphalytics that Giraph runs, without code for Heapspan ({@code docs/giraph.md}). */
package org.heapspan.examples.giraph;
