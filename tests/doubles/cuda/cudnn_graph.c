/* A libcudnn_graph.so.9 for tests, the part of cuDNN that its other libraries load by name. What matters is the folder
 * that it lies in. */
extern const int cudnn_graph_double;
const int cudnn_graph_double = 9;
