    VlDeleter __Vm_deleter;
